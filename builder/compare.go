package builder

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Eq tells where x equals y, element by element.
func Eq[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareEQ, x, y) }

// Ne tells where x differs from y, element by element.
func Ne[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareNE, x, y) }

// Lt tells where x < y, element by element.
func Lt[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareLT, x, y) }

// Le tells where x <= y, element by element.
func Le[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareLE, x, y) }

// Gt tells where x > y, element by element.
func Gt[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareGT, x, y) }

// Ge tells where x >= y, element by element.
func Ge[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareGE, x, y) }

// TotalOrderLt tells where x comes before y in the total order of floating point
// numbers, which has a place for each: -NaN, -infinity … -0, +0 … +infinity, NaN.
func TotalOrderLt[X, Y Operand](x X, y Y) Value {
	s, a, b := begin2("compare", x, y)
	return s.one(stablehlo.Compare{
		LHS: a.v, RHS: b.v, ComparisonDirection: stablehlo.CompareLT, CompareType: stablehlo.CompareTotalOrder,
	})
}

// Select takes each element from onTrue where pred is true and from onFalse where it
// isn't. pred is of their shape, or a scalar that chooses one of the two whole.
func Select[X, Y Operand](pred Value, onTrue X, onFalse Y) Value {
	values := append(given(onTrue), given(onFalse)...)
	s := begin("select", append([]Value{pred}, values...)...)
	if !s.ok {
		return s.none()
	}
	if len(values) == 0 {
		return s.fail("both choices are Go numbers, which have no one element type: make one a Value, for example with FullLike")
	}
	like := values[0]
	if len(values) == 2 && rankOf(like) == 0 {
		like = values[1]
	}
	if rankOf(like) == 0 && rankOf(pred) > 0 { // choices that are scalars go to each element
		dims := dimsOf(pred)
		if !isStatic(dims) {
			return s.fail("the choices are scalars, and the dimensions of the condition are not known: use FullLike")
		}
		like = s.broadcast(like, dims, nil)
	}
	yes := other(&s, onTrue, like)
	no := other(&s, onFalse, like)
	return s.one(stablehlo.Select{Pred: pred.v, OnTrue: yes.v, OnFalse: no.v})
}

func compare[X, Y Operand](direction stablehlo.ComparisonDirection, x X, y Y) Value {
	s, a, b := begin2("compare", x, y)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.Compare{LHS: a.v, RHS: b.v, ComparisonDirection: direction, CompareType: comparisonType(a.v.Type())})
}

// comparisonType is how elements of a type are compared; it is part of the operation
// because integers with sign are signless in it.
func comparisonType(t mlir.Type) stablehlo.ComparisonType {
	element, _ := t.Element()
	if width, signedness, ok := element.IntegerWidth(); ok {
		if width == tensor.Pred.Bits() || signedness == mlir.Unsigned {
			return stablehlo.CompareUnsigned
		}
		return stablehlo.CompareSigned
	}
	return stablehlo.CompareFloat
}
