package xlafix

import (
	"math/big"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ExpandIntegerPowers replaces the powers of integers by multiplications, which wrap as the powers do: XLA
// reads only the low six bits of an exponent, and takes x / y^n for x * y^(-n). It leaves arrays whose
// shape is not static. It returns the number of powers that it replaced.
func ExpandIntegerPowers(m *mlir.Module) (int, error) {
	powers := []string{"stablehlo.power"}
	return replaceEach(m.Operation().Index(), powers, func(e emitter, op mlir.Operation) (none mlir.Value) {
		if !ofIntegers(op) {
			return none
		}
		return (&powerExpander{e, op.Result(0).Type()}).power(op.Operand(0), op.Operand(1))
	})
}

// ofIntegers reports whether the result of an operation is an array of integers with a static shape.
func ofIntegers(op mlir.Operation) bool {
	t := op.Result(0).Type()
	element, _ := t.Element()
	_, _, isInteger := element.IntegerWidth()
	_, static := t.NumElements()
	return isInteger && static
}

// hasSixBits reports whether the exponents in an array are known to be from 0 to 63.
func hasSixBits(v mlir.Value) bool {
	r := rangeOf(v, -1, 0)
	if isConstant(v) { // rangeOf knows no unsigned integers
		r = constantRange(v.Owner(), -1, 0)
	} else if n, known := rewrite.ConstantOf(v); known {
		r = interval{n, n}
	}
	return r.least >= 0 && r.most <= 63
}

// A powerExpander adds operations on arrays of one type.
type powerExpander struct {
	emitter
	t mlir.Type
}

// power returns x to the power of y.
func (e *powerExpander) power(x, y mlir.Value) mlir.Value {
	element, _ := e.t.Element()
	bits, sign, _ := element.IntegerWidth()
	n, known := rewrite.ConstantOf(y)
	switch {
	case sign == mlir.Unsigned && known:
		return e.constantPower(x, uint64(n))
	case sign == mlir.Unsigned:
		return e.variablePower(x, y, bits)
	case known && n >= 0:
		return e.constantPower(x, uint64(n))
	case known:
		// The powers of 1 and -1 are those to 1 or 2, and the others vanish.
		return e.choose(e.isUnit(x), e.constantPower(x, uint64(2+n%2)), e.splat(0))
	}
	vanishes := stablehlo.And(e.Builder, e.compare(y, stablehlo.CompareLT, e.splat(0)),
		stablehlo.Not(e.Builder, e.isUnit(x)))
	return e.choose(vanishes, e.splat(0), e.variablePower(x, y, bits-1)) // without the sign
}

// isUnit returns whether x is 1 or -1.
func (e *powerExpander) isUnit(x mlir.Value) mlir.Value {
	return e.compare(stablehlo.Abs(e.Builder, x), stablehlo.CompareEQ, e.splat(1))
}

// variablePower returns x to the power of the low bits of y.
func (e *powerExpander) variablePower(x, y mlir.Value, bits int) mlir.Value {
	zero, one := e.splat(0), e.splat(1)
	result, square := one, x
	for i := range bits {
		if i > 0 {
			square = stablehlo.Multiply(e.Builder, square, square)
		}
		bit := stablehlo.And(e.Builder, y, e.splat(1<<i))
		factor := e.choose(e.compare(bit, stablehlo.CompareNE, zero), square, one)
		result = stablehlo.Multiply(e.Builder, result, factor)
	}
	return result
}

// constantPower returns x to the power of n.
func (e *powerExpander) constantPower(x mlir.Value, n uint64) mlir.Value {
	if n == 0 {
		return e.splat(1)
	}
	var result mlir.Value
	for square := x; ; square = stablehlo.Multiply(e.Builder, square, square) {
		switch {
		case n&1 != 0 && result.IsNil():
			result = square
		case n&1 != 0:
			result = stablehlo.Multiply(e.Builder, result, square)
		}
		if n >>= 1; n == 0 {
			return result
		}
	}
}

func (e *powerExpander) compare(x mlir.Value, is stablehlo.ComparisonDirection, y mlir.Value) mlir.Value {
	return stablehlo.Compare(e.Builder, x, y, is)
}

func (e *powerExpander) choose(which, x, y mlir.Value) mlir.Value {
	return stablehlo.Select(e.Builder, which, x, y)
}

// splat returns a constant with n in each element.
func (e *powerExpander) splat(n uint64) mlir.Value { return e.integer(new(big.Int).SetUint64(n)) }

// integer is splat for any integer of the type.
func (e *powerExpander) integer(n *big.Int) mlir.Value {
	element, _ := e.t.Element()
	integer, err := e.Context().BigIntegerAttribute(element, n)
	e.Fail(err)
	return e.constant(e.t, integer)
}
