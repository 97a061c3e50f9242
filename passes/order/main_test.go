package order_test

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
