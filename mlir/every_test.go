package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestEveryOperation checks that no operation that a library knows ends the process if it
// is created with few attributes, or if attributes are removed from it.
func TestEveryOperation(t *testing.T) {
	check.NoRaces(t)
	mlirtest.EveryOperation(t)
}

// TestRequired checks that required attributes must be set and cannot be removed, and that
// invalid operations are not written.
func TestRequired(t *testing.T) {
	c := mlirtest.Context(t)
	f32 := check.Must(c.ParseType("tensor<f32>"))
	_, err := mlir.Create(c, mlir.OperationState{Name: "stablehlo.constant", Results: []mlir.Type{f32}})
	check.Error(t, err, `stablehlo.constant needs the attribute "value"`)
	m := mlirtest.Parse(t, c, "func.func @f() { return }")
	check.Panics(t, `func.func needs the attribute "function_type"`,
		func() { op(m, "func.func").RemoveAttribute("function_type") })
	check.Report(t, op(m, "func.return").Verify())
	check.NoError(t, op(m, "func.return").Erase())
	_, err = m.Bytecode()
	check.Error(t, err, "verify failed")
}
