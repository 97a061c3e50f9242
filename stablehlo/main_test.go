package stablehlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// values returns the arguments of a new block, one for each type.
func values(t testing.TB, c *mlir.Context, types ...string) []mlir.Value {
	t.Helper()
	var out []mlir.Value
	for _, v := range c.NewBlock(mlir.Location{}, mlirtest.Types(c, types...)...).Arguments() {
		out = append(out, v)
	}
	return out
}
