package jit

import (
	"math"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
)

// clear makes an operation that only stores zeros a call of memset. It reports whether it can.
func (n nest) clear() bool {
	stored := n.Region.First().Terminator().Operand(0)
	if len(n.Inputs) == 1 && stored.Equal(n.Region.First().Argument(0)) {
		stored = n.Inputs[0]
	}
	if len(n.Outputs) != 1 || !isWhole(n.Outputs[0].Type()) || stored.IsArgument() {
		return false
	}
	c, ok := arith.AsConstant(stored.Owner())
	if !ok {
		return false
	}
	i, isInteger := c.Value.Int()
	f, isFloat := c.Value.Float()
	size, err := sizeOf(n.Outputs[0].Type())
	if !isInteger && !isFloat || i != 0 || math.Float64bits(f) != 0 || err != nil {
		return false
	}
	zero := arith.ConstantInt(n.b, n.b.Context().IntegerType(8, mlir.Signless), 0)
	llvm.Memset(n.b, address(n.b, n.Outputs[0], 0), zero, number(n.b, int64(size)), false)
	return true
}
