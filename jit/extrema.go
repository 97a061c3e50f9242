package jit

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
)

// selectExtrema makes selections of the extrema of numbers of bf16. LLVM takes an extremum of two of them in f32 for
// one of bf16, whose result it rounds with an instruction of x86 that makes zeros of denormal numbers.
func selectExtrema(m *mlir.Module, _ *Executable) error {
	for op := range m.Operation().Index().Named("arith.maximumf", "arith.minimumf") {
		x, y, t := op.Operand(0), op.Operand(1), op.Result(0).Type()
		if kindOf(t) != mlir.BF16 {
			continue
		}
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		i16 := m.Context().IntegerType(16, mlir.Signless)
		p, q := arith.Bitcast(b, i16, x), arith.Bitcast(b, i16, y)
		order, zero := arith.CmpFPredicateOGT, arith.AndI(b, p, q) // of zeros that differ in signs
		if op.Name() == "arith.minimumf" {
			order, zero = arith.CmpFPredicateOLT, arith.OrI(b, p, q)
		}
		unordered := arith.CmpF(b, arith.CmpFPredicateUNO, x, y)
		bits := arith.Select(b, unordered, arith.ConstantInt(b, i16, 0x7fc0), zero)
		bits = arith.Select(b, arith.CmpF(b, order, y, x), q, bits)
		bits = arith.Select(b, arith.CmpF(b, order, x, y), p, bits)
		result := arith.Bitcast(b, t, bits)
		if b.Err() != nil {
			return b.Err()
		}
		op.Result(0).ReplaceAllUses(result)
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}
