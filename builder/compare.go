package builder

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Eq reports, element by element, whether x equals y.
func Eq[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareEQ, x, y) }

// Ne reports, element by element, whether x differs from y.
func Ne[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareNE, x, y) }

// Lt reports, element by element, whether x < y.
func Lt[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareLT, x, y) }

// Le reports, element by element, whether x <= y.
func Le[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareLE, x, y) }

// Gt reports, element by element, whether x > y.
func Gt[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareGT, x, y) }

// Ge reports, element by element, whether x >= y.
func Ge[X, Y Operand](x X, y Y) Value { return compare(stablehlo.CompareGE, x, y) }

// TotalOrderLt reports, element by element, whether x comes before y in the total order of
// floating point numbers: -NaN, -infinity … -0, +0 … +infinity, NaN.
func TotalOrderLt[X, Y Operand](x X, y Y) Value {
	s, a, b := begin2("compare", x, y)
	return s.one(stablehlo.CompareOp{
		LHS: a.v, RHS: b.v, ComparisonDirection: stablehlo.CompareLT, CompareType: stablehlo.CompareTotalOrder,
	})
}

// Select returns each element of onTrue where pred is true, and of onFalse where it is
// false. pred has their shape, or is a scalar that selects one of them as a whole.
func Select[X, Y Operand](pred Value, onTrue X, onFalse Y) Value {
	values := append(given(onTrue), given(onFalse)...)
	s := begin("select", append([]Value{pred}, values...)...)
	if !s.ok {
		return s.none()
	}
	if len(values) == 0 {
		return s.fail("both choices are Go numbers, so the element type is unknown: make one a Value, for example with FullLike")
	}
	like := values[0]
	if len(values) == 2 && rankOf(like) == 0 {
		like = values[1]
	}
	if rankOf(like) == 0 && rankOf(pred) > 0 { // scalar choices apply to each element
		like = s.like(like, pred)
	}
	yes := other(&s, onTrue, like)
	no := other(&s, onFalse, like)
	return s.one(stablehlo.SelectOp{Pred: pred.v, OnTrue: yes.v, OnFalse: no.v})
}

func compare[X, Y Operand](direction stablehlo.ComparisonDirection, x X, y Y) Value {
	s, a, b := begin2("compare", x, y)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.CompareOp{LHS: a.v, RHS: b.v, ComparisonDirection: direction,
		CompareType: comparisonType(a.v.Type())})
}

// comparisonType returns how elements of a type are compared. The operation needs it
// because signed integers are signless in MLIR.
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
