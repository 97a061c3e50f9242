package mlir_test

import (
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestForgets checks that cached properties of an operation are not returned for another
// one that the library creates in the same memory.
func TestForgets(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		r := check.Must(c.NewRewriter())
		m := mlirtest.Parse(t, c, `func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.muli %x, %x : i32
  return %0 : i32
}`)
		var add, multiply mlir.Operation
		m.Operation().Walk(func(o mlir.Operation) mlir.WalkAction {
			switch o.Name() {
			case "arith.addi":
				add = o
			case "arith.muli":
				multiply = o
				return mlir.WalkStop
			}
			return mlir.WalkContinue
		})
		check.NoError(t, r.Erase(multiply))
		r.SetInsertionPoint(mlir.After(add))
		again := check.Must(r.Clone(add))
		check.Diff(t, "the name", "arith.addi", again.Name())
	})
}

// TestFirstResult checks that the first result does not depend on whether the operation was
// created last, and that an operation without results has none.
func TestFirstResult(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		_, block := emptyFunction(t, c)
		x := block.Argument(0)
		var ops []mlir.Operation
		var results []mlir.Value
		for range 3 {
			op := check.Must(mlir.Create(block, mlir.OperationState{
				Name: "arith.addi", Operands: []mlir.Value{x, x}, Results: []mlir.Type{x.Type()},
			}))
			x = op.Result(0)
			ops, results = append(ops, op), append(results, x)
		}
		for i, op := range ops {
			if !op.Result(0).Equal(results[i]) || !results[i].Owner().Equal(op) {
				t.Errorf("operation %d has another result now", i)
			}
		}
		end := check.Must(mlir.Create(block, mlir.OperationState{Name: "func.return"}))
		check.Panics(t, "Operation.Result(0): index out of range with length 0", func() { end.Result(0) })
		check.Panics(t, "Operation.Result(1): index out of range with length 1", func() { ops[2].Result(1) })
		got := slices.Collect(block.Operations())
		if !got[2].Result(0).Equal(results[2]) {
			t.Error("another handle has another result")
		}
	})
}
