package jit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
)

// A float8 is a format of floating-point numbers of eight bits, of which the first one is the sign.
type float8 struct {
	fraction, bias int
	special        int64 // the pattern of infinity, without its sign, or of NaN in a format without infinity
}

// The patterns of the only NaN of formats without infinity.
const (
	noInfinity  = 0x7f
	noMinusZero = 0x80 // in the place of a negative zero
)

var float8s = map[mlir.FloatKind]float8{
	mlir.F8E5M2:        {2, 15, 0x7c},
	mlir.F8E4M3:        {3, 7, 0x78},
	mlir.F8E3M4:        {4, 3, 0x70},
	mlir.F8E4M3FN:      {3, 7, noInfinity},
	mlir.F8E5M2FNUZ:    {2, 16, noMinusZero},
	mlir.F8E4M3FNUZ:    {3, 8, noMinusZero},
	mlir.F8E4M3B11FNUZ: {3, 11, noMinusZero},
}

// checkFloats refuses to compute with numbers that the following steps and LLVM lack. Only the elements may be moved.
func checkFloats(m *mlir.Module, _ *Executable) error {
	missing := ""
	return refused(m, func(op mlir.Operation) bool {
		dialect, name, _ := strings.Cut(op.Name(), ".")
		if dialect != "arith" && dialect != "math" || name == "constant" || name == "select" || name == "bitcast" {
			return false
		}
		for _, v := range slices.Concat(op.OperandValues(), op.ResultValues()) {
			switch kindOf(v.Type()) {
			case mlir.F4E2M1FN, mlir.F6E2M3FN, mlir.F6E3M2FN, mlir.F8E8M0FNU:
				missing = v.Type().String()
				return true
			}
		}
		return false
	}, func(operations string) error {
		return fmt.Errorf("LLVM has no arithmetic on numbers of %s: %s: use another type, or XLA", missing, operations)
	})
}

// convertFloat8s makes operations on bits of the conversions of numbers of eight bits. The arithmetic on them is one on
// f32 by now.
func convertFloat8s(m *mlir.Module, _ *Executable) error {
	return replaceEach(m, func(b *mlir.Builder, op mlir.Operation) (none mlir.Value) {
		x, to := op.Operand(0), op.Result(0).Type()
		c := converter{b}
		if f, ok := float8s[kindOf(x.Type())]; ok {
			return c.convert(c.widen(x, f), to)
		}
		f, ok := float8s[kindOf(to)]
		if !ok {
			return none
		}
		if kindOf(x.Type()) != mlir.F64 {
			x = c.convert(x, c.Context().F32Type())
		}
		return arith.Bitcast(b, to, c.narrow(x, f))
	}, "arith.extf", "arith.truncf")
}

func kindOf(t mlir.Type) mlir.FloatKind {
	kind, _ := t.FloatKind()
	return kind
}

// A converter creates conversions.
type converter struct{ *mlir.Builder }

// convert converts a number between formats of 16 bits and more.
func (c converter) convert(x mlir.Value, to mlir.Type) mlir.Value {
	switch from := kindOf(x.Type()).Bits(); {
	case from < kindOf(to).Bits():
		return arith.ExtF(c.Builder, to, x)
	case from > kindOf(to).Bits():
		return arith.TruncF(c.Builder, to, x)
	}
	return x
}

// widen returns a number as an f32, which is exact.
func (c converter) widen(x mlir.Value, f float8) mlir.Value {
	b, i32, f32 := c.Builder, c.Context().IntegerType(32, mlir.Signless), c.Context().F32Type()
	n := func(v int64) mlir.Value { return arith.ConstantInt(b, i32, v) }
	pattern := arith.ExtUI(b, i32, arith.Bitcast(b, c.Context().IntegerType(8, mlir.Signless), x))
	magnitude := arith.AndI(b, pattern, n(0x7f))
	normal := arith.AddI(b, arith.ShLI(b, magnitude, n(int64(23-f.fraction))), n(int64(127-f.bias)<<23))
	unit := arith.ConstantFloat(b, f32, math.Ldexp(1, 1-f.bias-f.fraction))
	subnormal := arith.Bitcast(b, i32, arith.MulF(b, arith.SIToFP(b, f32, magnitude), unit))
	isSubnormal := arith.CmpI(b, arith.CmpIPredicateUlt, magnitude, n(1<<f.fraction))
	result := arith.Select(b, isSubnormal, subnormal, normal)
	isNaN := arith.CmpI(b, arith.CmpIPredicateUgt, magnitude, n(f.special))
	switch isSpecial := arith.CmpI(b, arith.CmpIPredicateEq, magnitude, n(f.special)); f.special {
	case noInfinity:
		isNaN = isSpecial
	case noMinusZero:
		isNaN = arith.CmpI(b, arith.CmpIPredicateEq, pattern, n(f.special))
	default:
		result = arith.Select(b, isSpecial, n(0xff<<23), result)
	}
	result = arith.Select(b, isNaN, n(0x1ff<<22), result) // a quiet one
	sign := arith.ShLI(b, arith.AndI(b, pattern, n(0x80)), n(24))
	return arith.Bitcast(b, f32, arith.OrI(b, result, sign))
}

// narrow returns the pattern of the number that is nearest to an f32 or f64, of two that with an even pattern. It is
// infinity for a number that is too large, and NaN in a format without infinity.
func (c converter) narrow(x mlir.Value, f float8) mlir.Value {
	b, wide, bits, fraction, bias := c.Builder, x.Type(), 32, 23, 127
	if kindOf(wide) == mlir.F64 {
		bits, fraction, bias = 64, 52, 1023
	}
	i := c.Context().IntegerType(bits, mlir.Signless)
	n := func(v int64) mlir.Value { return arith.ConstantInt(b, i, v) }
	float := func(exponent int) mlir.Value { return arith.ConstantFloat(b, wide, math.Ldexp(1, exponent)) }
	pattern := arith.Bitcast(b, i, x)
	magnitude := arith.AndI(b, pattern, n(1<<(bits-1)-1))
	// The bits that are cut off carry into those that stay.
	cut := fraction - f.fraction
	odd := arith.AndI(b, arith.ShRUI(b, magnitude, n(int64(cut))), n(1))
	carried := arith.AddI(b, arith.AddI(b, magnitude, n(1<<(cut-1)-1)), odd)
	normal := arith.SubI(b, arith.ShRUI(b, carried, n(int64(cut))), n(int64(bias-f.bias)<<f.fraction))
	// The sum with a number whose last bit has the value of a subnormal number's last bit is rounded to it.
	absolute, large := arith.Bitcast(b, wide, magnitude), float(fraction+1-f.bias-f.fraction)
	subnormal := arith.SubI(b, arith.Bitcast(b, i, arith.AddF(b, absolute, large)), arith.Bitcast(b, i, large))
	isSubnormal := arith.CmpF(b, arith.CmpFPredicateOLT, absolute, float(1-f.bias))
	result := arith.MinUI(b, arith.Select(b, isSubnormal, subnormal, normal), n(f.special))
	nan := f.special | 1<<(f.fraction-1)
	if f.special == noMinusZero {
		nan = noMinusZero
	}
	result = arith.Select(b, arith.CmpF(b, arith.CmpFPredicateUNO, x, x), n(nan), result)
	sign := arith.AndI(b, arith.ShRUI(b, pattern, n(int64(bits-8))), n(0x80))
	signed := arith.OrI(b, result, sign)
	if f.special == noMinusZero {
		signed = arith.Select(b, arith.CmpI(b, arith.CmpIPredicateEq, result, n(0)), result, signed)
	}
	return arith.TruncI(b, c.Context().IntegerType(8, mlir.Signless), signed)
}
