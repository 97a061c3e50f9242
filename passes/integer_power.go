package passes

import (
	"math/big"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ExpandIntegerPowers replaces the powers of integers by multiplications, which wrap as the powers do: XLA
// reads only the low six bits of an exponent, and takes x / y^n for x * y^(-n). It leaves arrays whose
// shape is not static. It returns the number of powers that it replaced.
func ExpandIntegerPowers(m *mlir.Module) (int, error) {
	var powers []mlir.Operation
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() == "stablehlo.power" && ofIntegers(op) {
			powers = append(powers, op)
		}
		return mlir.WalkContinue
	})
	for _, op := range powers {
		t := op.Result(0).Type()
		e := &powerExpander{emitter: emitter{m.Context(), op.Location(), op.Block(), op}, t: t}
		result := e.power(op.Operand(0), op.Operand(1))
		if e.err != nil {
			return 0, e.err
		}
		if result != op.Operand(0) {
			for name, a := range op.Attributes() { // shardings
				result.Owner().SetAttribute(name, a)
			}
		}
		op.Result(0).ReplaceAllUses(result)
		if err := op.Erase(); err != nil {
			return 0, err
		}
	}
	return len(powers), nil
}

// ofIntegers reports whether the result of an operation is an array of integers with a static shape.
func ofIntegers(op mlir.Operation) bool {
	t := op.Result(0).Type()
	element, _ := t.Element()
	_, _, isInteger := element.IntegerWidth()
	_, static := t.NumElements()
	return isInteger && static
}

// A powerExpander adds operations on arrays of one type.
type powerExpander struct {
	emitter
	t   mlir.Type
	err error // the first
}

// power returns x to the power of y.
func (e *powerExpander) power(x, y mlir.Value) mlir.Value {
	element, _ := e.t.Element()
	bits, sign, _ := element.IntegerWidth()
	n, known := constantOf(y)
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
	vanishes := e.binary(stablehlo.And, e.compare(y, stablehlo.CompareLT, e.splat(0)), e.add(stablehlo.Unary{Op: stablehlo.Not, Operand: e.isUnit(x)}))
	return e.choose(vanishes, e.splat(0), e.variablePower(x, y, bits-1)) // without the sign
}

// isUnit returns whether x is 1 or -1.
func (e *powerExpander) isUnit(x mlir.Value) mlir.Value {
	return e.compare(e.add(stablehlo.Unary{Op: stablehlo.Abs, Operand: x}), stablehlo.CompareEQ, e.splat(1))
}

// variablePower returns x to the power of the low bits of y.
func (e *powerExpander) variablePower(x, y mlir.Value, bits int) mlir.Value {
	zero, one := e.splat(0), e.splat(1)
	result, square := one, x
	for i := range bits {
		if i > 0 {
			square = e.binary(stablehlo.Multiply, square, square)
		}
		bit := e.binary(stablehlo.And, y, e.splat(1<<i))
		factor := e.choose(e.compare(bit, stablehlo.CompareNE, zero), square, one)
		result = e.binary(stablehlo.Multiply, result, factor)
	}
	return result
}

// constantPower returns x to the power of n.
func (e *powerExpander) constantPower(x mlir.Value, n uint64) mlir.Value {
	if n == 0 {
		return e.splat(1)
	}
	var result mlir.Value
	for square := x; ; square = e.binary(stablehlo.Multiply, square, square) {
		switch {
		case n&1 != 0 && result.IsNil():
			result = square
		case n&1 != 0:
			result = e.binary(stablehlo.Multiply, result, square)
		}
		if n >>= 1; n == 0 {
			return result
		}
	}
}

// add adds an operation with one result, unless an earlier one has failed.
func (e *powerExpander) add(o creator) (v mlir.Value) {
	if e.err == nil {
		v, e.err = e.value(o)
	}
	return v
}

func (e *powerExpander) binary(op stablehlo.BinaryOp, x, y mlir.Value) mlir.Value {
	return e.add(stablehlo.Binary{Op: op, LHS: x, RHS: y})
}

func (e *powerExpander) compare(x mlir.Value, is stablehlo.ComparisonDirection, y mlir.Value) mlir.Value {
	return e.add(stablehlo.Compare{LHS: x, RHS: y, ComparisonDirection: is})
}

func (e *powerExpander) choose(which, x, y mlir.Value) mlir.Value {
	return e.add(stablehlo.Select{Pred: which, OnTrue: x, OnFalse: y})
}

// splat returns a constant with n in each element.
func (e *powerExpander) splat(n uint64) mlir.Value {
	return e.add(splat{e.t, n})
}

// A splat is a constant with one value in each element.
type splat struct {
	t     mlir.Type // of integers
	value uint64
}

func (s splat) Create(ip mlir.InsertionPoint, loc mlir.Location) (mlir.Operation, error) {
	c := mlir.ContextOf(ip)
	element, _ := s.t.Element()
	integer, err := c.BigIntegerAttribute(element, new(big.Int).SetUint64(s.value))
	if err != nil {
		return mlir.Operation{}, err
	}
	value, err := c.DenseFromAttributes(s.t, integer)
	if err != nil {
		return mlir.Operation{}, err
	}
	return mlir.Create(ip, mlir.OperationState{
		Name: "stablehlo.constant", Location: loc, Results: []mlir.Type{s.t},
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}},
	})
}
