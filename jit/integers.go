package jit

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
)

// widenIntegers converts integers to bf16 by way of f64, which narrowDoubles rounds once. LLVM and the passes go by way
// of f32, where an integer near the middle of two numbers is rounded to the middle, and then to the wrong one.
func widenIntegers(m *mlir.Module, _ *Executable) error {
	f64 := m.Context().F64Type()
	return replaceEach(m, func(b *mlir.Builder, op mlir.Operation) (none mlir.Value) {
		x, to := op.Operand(0), op.Result(0).Type()
		bits, _, _ := x.Type().IntegerWidth()
		if kindOf(to) != mlir.BF16 || bits <= 24 {
			return none
		}
		signed := op.Name() == "arith.sitofp"
		if bits > 53 {
			x = inexact(b, x, signed)
		}
		var wide mlir.Value
		if signed {
			wide = arith.SIToFP(b, f64, x)
		} else {
			wide = arith.UIToFP(b, f64, x)
		}
		return arith.TruncF(b, to, wide)
	}, "arith.sitofp", "arith.uitofp")
}

// inexact returns an integer of 64 bits that f64 holds, and that is rounded to the same number of bf16. Of a large one,
// the last 12 bits say only whether they are zero: those of bf16 end far above.
func inexact(b *mlir.Builder, x mlir.Value, signed bool) mlir.Value {
	n := func(v int64) mlir.Value { return arith.ConstantInt(b, x.Type(), v) }
	rest := arith.CmpI(b, arith.CmpIPredicateNe, arith.AndI(b, x, n(1<<12-1)), n(0))
	large := arith.OrI(b, arith.AndI(b, x, n(-1<<12)), arith.Select(b, rest, n(1<<11), n(0)))
	distance, limit := x, n(1<<24)
	if signed {
		distance, limit = arith.AddI(b, x, n(1<<24)), n(1<<25)
	}
	return arith.Select(b, arith.CmpI(b, arith.CmpIPredicateUlt, distance, limit), x, large)
}
