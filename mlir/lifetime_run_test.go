package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

const dead = `func.func private @dead(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}`

func removeDead(t *testing.T, c *mlir.Context, m *mlir.Module) {
	t.Helper()
	check.NoError(t, passManager(t, c, mlir.PassManagerOptions{Pipeline: "builtin.module(symbol-dce)"}).Run(m))
	check.Diff(t, "what is left", "module {\n}\n", m.String())
}

// TestRunAfterMove checks that a handle from before a move ends when passes run on the
// object's new module, and that handles into its old module stay valid.
func TestRunAfterMove(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		from, to := mlirtest.Parse(t, c, dead), c.NewModule(mlir.Location{})
		f, body := op(from, "func.func"), from.Body()
		to.Body().Append(f.Detach())
		removeDead(t, c, to)
		check.Panics(t, "Operation.Name called after PassManager.Run", func() { f.Name() })
		check.Diff(t, "where it was", true, body.First().IsNil())
		check.Diff(t, "the handle to that", true, body == from.Body())
	})
}

// TestRunOnUsed checks that a detached object does not keep operands that passes destroy.
func TestRunOnUsed(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		m := mlirtest.Parse(t, c, dead)
		v := op(m, "arith.addi").Result(0)
		user := create(t, c,
			mlir.OperationState{Name: "arith.subi", Operands: []mlir.Value{v, v}, Results: []mlir.Type{v.Type()}})
		removeDead(t, c, m)
		check.Diff(t, "the operand's type", "i32", user.Operand(0).Type().String())
		check.Diff(t, "it is a result", false, user.Operand(0).IsResult())
	})
}

// TestRunElsewhere checks that handles to an erased argument of one module stay invalid
// after a run on another one.
func TestRunElsewhere(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		block := c.NewBlock(mlir.Location{}, c.IndexType())
		v := block.Argument(0)
		check.NoError(t, block.EraseArgument(0))
		removeDead(t, c, mlirtest.Parse(t, c, dead))
		check.Panics(t, "that Block.EraseArgument has erased", func() { v.Type() })
	})
}
