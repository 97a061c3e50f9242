package jit

import (
	"math"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
)

// A float8 is a format of floating-point numbers of at most eight bits, of which the first one is the sign.
type float8 struct {
	bits, fraction, bias int
	special              int64 // the pattern of infinity, without its sign, or one of these:
}

// What formats without infinity have: the pattern of their only NaN, or the largest number in the place of what is
// larger, and a negative zero in that of NaN.
const (
	noInfinity  = 0x7f
	noMinusZero = 0x80 // in the place of a negative zero
	finite      = -1
)

var float8s = map[mlir.FloatKind]float8{
	mlir.F4E2M1FN:      {4, 1, 1, finite},
	mlir.F6E2M3FN:      {6, 3, 1, finite},
	mlir.F6E3M2FN:      {6, 2, 3, finite},
	mlir.F8E5M2:        {8, 2, 15, 0x7c},
	mlir.F8E4M3:        {8, 3, 7, 0x78},
	mlir.F8E3M4:        {8, 4, 3, 0x70},
	mlir.F8E4M3FN:      {8, 3, 7, noInfinity},
	mlir.F8E5M2FNUZ:    {8, 2, 16, noMinusZero},
	mlir.F8E4M3FNUZ:    {8, 3, 8, noMinusZero},
	mlir.F8E4M3B11FNUZ: {8, 3, 11, noMinusZero},
}

// convertFloat8s makes operations on bits of the conversions of numbers of at most eight bits. The arithmetic on them
// is one on f32 by now.
func convertFloat8s(m *mlir.Module, _ *Executable) error {
	return replaceEach(m, func(b *mlir.Builder, op mlir.Operation) (none mlir.Value) {
		x, to := op.Operand(0), op.Result(0).Type()
		from, c := kindOf(x.Type()), converter{b}
		switch f, ok := float8s[from]; {
		case ok:
			x = c.widen(x, f)
		case from == mlir.F8E8M0FNU:
			x = c.widenPower(x)
		}
		switch f, ok := float8s[kindOf(to)]; {
		case ok && kindOf(x.Type()) == mlir.F64:
			return arith.Bitcast(b, to, c.narrow(x, f))
		case ok:
			return arith.Bitcast(b, to, c.narrow(c.convert(x, c.Context().F32Type()), f))
		case kindOf(to) == mlir.F8E8M0FNU:
			return arith.Bitcast(b, to, c.narrowPower(c.convert(x, c.Context().F32Type())))
		case x != op.Operand(0):
			return c.convert(x, to)
		}
		return none
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
	pattern := arith.ExtUI(b, i32, arith.Bitcast(b, c.Context().IntegerType(f.bits, mlir.Signless), x))
	minus := int64(1) << (f.bits - 1)
	magnitude := arith.AndI(b, pattern, n(minus-1))
	normal := arith.AddI(b, arith.ShLI(b, magnitude, n(int64(23-f.fraction))), n(int64(127-f.bias)<<23))
	unit := arith.ConstantFloat(b, f32, math.Ldexp(1, 1-f.bias-f.fraction))
	subnormal := arith.Bitcast(b, i32, arith.MulF(b, arith.SIToFP(b, f32, magnitude), unit))
	isSubnormal := arith.CmpI(b, arith.CmpIPredicateUlt, magnitude, n(1<<f.fraction))
	result := arith.Select(b, isSubnormal, subnormal, normal)
	const quiet = 0x1ff << 22 // NaN
	is := func(p arith.CmpIPredicate, x mlir.Value) mlir.Value { return arith.CmpI(b, p, x, n(f.special)) }
	switch f.special {
	case finite:
	case noInfinity:
		result = arith.Select(b, is(arith.CmpIPredicateEq, magnitude), n(quiet), result)
	case noMinusZero:
		result = arith.Select(b, is(arith.CmpIPredicateEq, pattern), n(quiet), result)
	default:
		result = arith.Select(b, is(arith.CmpIPredicateEq, magnitude), n(0xff<<23), result)
		result = arith.Select(b, is(arith.CmpIPredicateUgt, magnitude), n(quiet), result)
	}
	sign := arith.ShLI(b, arith.AndI(b, pattern, n(minus)), n(int64(32-f.bits)))
	return arith.Bitcast(b, f32, arith.OrI(b, result, sign))
}

// widenPower returns an f8E8M0FNU, which is a power of two or NaN, as an f32.
func (c converter) widenPower(x mlir.Value) mlir.Value {
	b, i32 := c.Builder, c.Context().IntegerType(32, mlir.Signless)
	n := func(v int64) mlir.Value { return arith.ConstantInt(b, i32, v) }
	exponent := arith.ExtUI(b, i32, arith.Bitcast(b, c.Context().IntegerType(8, mlir.Signless), x))
	is := func(v int64) mlir.Value { return arith.CmpI(b, arith.CmpIPredicateEq, exponent, n(v)) }
	result := arith.Select(b, is(0), n(1<<22), arith.ShLI(b, exponent, n(23)))
	return arith.Bitcast(b, c.Context().F32Type(), arith.Select(b, is(0xff), n(0x1ff<<22), result))
}

// narrowPower returns the pattern of the power of two that is nearest to an f32, of two the larger one. It is NaN for a
// number that is too large, zero or negative.
func (c converter) narrowPower(x mlir.Value) mlir.Value {
	b, i32 := c.Builder, c.Context().IntegerType(32, mlir.Signless)
	n := func(v int64) mlir.Value { return arith.ConstantInt(b, i32, v) }
	pattern := arith.Bitcast(b, i32, x)
	carried := arith.ShRUI(b, arith.AddI(b, arith.ShRUI(b, pattern, n(22)), n(1)), n(1))
	least := arith.CmpI(b, arith.CmpIPredicateUlt, pattern, n(3<<21)) // of subnormal numbers
	result := arith.Select(b, least, n(0), arith.MinUI(b, carried, n(0xff)))
	result = arith.Select(b, arith.CmpI(b, arith.CmpIPredicateEq, pattern, n(0)), n(0xff), result)
	return arith.TruncI(b, c.Context().IntegerType(8, mlir.Signless), result)
}

// narrow returns the pattern of the number that is nearest to an f32 or f64, of two that with an even pattern. It is
// infinity for a number that is too large, NaN in a format without infinity, or the largest one in a finite format.
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
	minus := int64(1) << (f.bits - 1)
	largest, nan := f.special, f.special|1<<(f.fraction-1)
	switch f.special {
	case noMinusZero:
		nan = noMinusZero
	case finite:
		largest, nan = minus-1, minus
	}
	result := arith.MinUI(b, arith.Select(b, isSubnormal, subnormal, normal), n(largest))
	result = arith.Select(b, arith.CmpF(b, arith.CmpFPredicateUNO, x, x), n(nan), result)
	sign := arith.AndI(b, arith.ShRUI(b, pattern, n(int64(bits-f.bits))), n(minus))
	signed := arith.OrI(b, result, sign)
	if f.special == noMinusZero {
		signed = arith.Select(b, arith.CmpI(b, arith.CmpIPredicateEq, result, n(0)), result, signed)
	}
	return arith.TruncI(b, c.Context().IntegerType(f.bits, mlir.Signless), signed)
}
