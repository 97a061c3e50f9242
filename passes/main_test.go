package passes_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

func parse(t *testing.T, text string) *mlir.Module {
	t.Helper()
	return mlirtest.Parse(t, mlirtest.Context(t), text)
}

// inMain returns a function of one vector with one custom call in it.
func inMain(call string) string {
	return "func.func @main(%x: tensor<4xf32>, %s: tensor<3xui8>, %id: tensor<i64>) -> tensor<4xf32> {\n" + call +
		"\nreturn %x : tensor<4xf32>\n}"
}
