package jit

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
)

// narrowDoubles makes the conversions of f64 to types of 16 bits, and of bf16 to f64, ones by way of f32, which LLVM
// and MLIR's passes compile without a function of a library. Where an f32 is not exact, it is rounded to the one with
// an odd last bit, so that the second rounding gives what one alone does.
func narrowDoubles(m *mlir.Module, _ *Executable) error {
	c := m.Context()
	f32, i32 := c.F32Type(), c.IntegerType(32, mlir.Signless)
	for op := range m.Operation().Index().Named("arith.extf") {
		if kindOf(op.Operand(0).Type()) == mlir.BF16 && kindOf(op.Result(0).Type()) == mlir.F64 {
			b := mlir.NewBuilder(mlir.Before(op), op.Location())
			op.SetOperand(0, arith.ExtF(b, f32, op.Operand(0)))
		}
	}
	return replaceEach(m, func(b *mlir.Builder, op mlir.Operation) (none mlir.Value) {
		x, to := op.Operand(0), op.Result(0).Type()
		if kindOf(x.Type()) != mlir.F64 || kindOf(to).Bits() != 16 {
			return none
		}
		near := arith.TruncF(b, f32, x)
		back := arith.ExtF(b, x.Type(), near)
		beyond := arith.CmpF(b, arith.CmpFPredicateOGT, absolute(b, back), absolute(b, x))
		inexact := arith.CmpF(b, arith.CmpFPredicateUNE, back, x)
		toZero := arith.SubI(b, arith.Bitcast(b, i32, near), arith.ExtUI(b, i32, beyond))
		odd := arith.OrI(b, toZero, arith.ExtUI(b, i32, inexact))
		return arith.TruncF(b, to, arith.Bitcast(b, f32, odd))
	}, "arith.truncf")
}

// absolute returns the absolute value of an f64.
func absolute(b *mlir.Builder, x mlir.Value) mlir.Value {
	i64 := b.Context().IntegerType(64, mlir.Signless)
	magnitude := arith.AndI(b, arith.Bitcast(b, i64, x), arith.ConstantInt(b, i64, 1<<63-1))
	return arith.Bitcast(b, x.Type(), magnitude)
}
