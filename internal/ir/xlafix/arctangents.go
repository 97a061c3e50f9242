package xlafix

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// keepArctangents makes the arctangent of real numbers, chlo.atan or an atan2 with 1, that of twice the number and 2.
// A plugin makes of the others an arctangent of its own, whose vectors mix elements, and read memory that is not
// initialized. keepArctangents returns the number of arctangents that it changed.
func keepArctangents(m *mlir.Module) (int, error) {
	return replaceEach(m.Operation().Index(), arctangents, func(e emitter, op mlir.Operation) (none mlir.Value) {
		if !isArctangent(op) || !isStatic(op) {
			return none
		}
		x := op.Operand(0)
		return stablehlo.Atan2(e.Builder, stablehlo.Add(e.Builder, x, x), e.number(x.Type(), 2))
	})
}

// KeepAngles lets MLIR, whose passes engines run, not fold the atan2 of two zeros, of which it makes NaN. Where both
// are zero, it takes an infinity of the sign of the second one, which has the same angle. It returns the number of
// operations that it changed.
func KeepAngles(m *mlir.Module) (int, error) {
	return replaceEach(m.Operation().Index(), angles, func(e emitter, op mlir.Operation) (none mlir.Value) {
		y, x := op.Operand(0), op.Operand(1)
		element, _ := x.Type().Element()
		kind, isFloat := element.FloatKind()
		if one, ok := splatOf(x); !isFloat || !isStatic(op) || ok && one != 0 || isKeptAngle(x) {
			return none
		}
		if kind.Bits() < 16 { // of which some have no infinity
			y, x = e.to(y, m.Context().F32Type()), e.to(x, m.Context().F32Type())
		}
		zero := e.number(x.Type(), 0)
		both := stablehlo.And(e.Builder, stablehlo.Compare(e.Builder, y, zero, stablehlo.CompareEQ),
			stablehlo.Compare(e.Builder, x, zero, stablehlo.CompareEQ))
		x = stablehlo.Select(e.Builder, both, stablehlo.Divide(e.Builder, e.number(x.Type(), 1), x), x)
		return e.to(stablehlo.Atan2(e.Builder, y, x), element)
	})
}

var angles = []string{"stablehlo.atan2"}

// isKeptAngle reports whether a value is what KeepAngles chooses.
func isKeptAngle(v mlir.Value) bool {
	if !v.IsResult() || v.Owner().Name() != "stablehlo.select" {
		return false
	}
	q := v.Owner().Operand(1)
	return q.IsResult() && q.Owner().Name() == "stablehlo.divide" && q.Owner().Operand(1) == v.Owner().Operand(2)
}

// isAngleOfZeros reports whether an operation is the atan2 of constants that are zero.
func isAngleOfZeros(op mlir.Operation) bool {
	if op.Name() != "stablehlo.atan2" {
		return false
	}
	y, constant := splatOf(op.Operand(0))
	x, both := splatOf(op.Operand(1))
	return constant && both && y == 0 && x == 0
}

var arctangents = []string{"chlo.atan", "stablehlo.atan2"}

// isArctangent reports whether an operation is the arctangent of one real number.
func isArctangent(op mlir.Operation) bool {
	element, _ := op.Result(0).Type().Element()
	if !element.IsFloat() {
		return false
	}
	if op.Name() == "chlo.atan" {
		return true
	}
	y, ok := splatOf(op.Operand(1))
	return ok && y == 1
}

// mixesElements reports whether XLA computes an arctangent by vectors over several dimensions.
func mixesElements(op mlir.Operation) bool {
	dims, _ := op.Result(0).Type().Dims()
	return len(dims) > 1 && isArctangent(op) &&
		slices.ContainsFunc(dims[:len(dims)-1], func(n int64) bool { return n > 1 })
}

// number returns a constant of floating-point numbers that are all x.
func (e emitter) number(t mlir.Type, x float64) mlir.Value {
	element, _ := t.Element()
	return e.constant(t, e.Context().FloatAttribute(element, x))
}

// constant returns a constant of elements, or of one that is repeated.
func (e emitter) constant(t mlir.Type, elements ...mlir.Attribute) mlir.Value {
	a, err := e.Context().DenseFromAttributes(t, elements...)
	e.Fail(err)
	return e.Create(mlir.OperationState{
		Name: "stablehlo.constant", Results: []mlir.Type{t},
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: a}},
	}).Result(0)
}
