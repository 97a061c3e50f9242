package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// KeepArctangents makes the arctangent of real numbers, chlo.atan or an atan2 with 1, that of twice the number and 2.
// A plugin makes of the others an arctangent of its own, whose vectors mix elements, and read memory that is not
// initialized. KeepArctangents returns the number of arctangents that it changed.
//
// See Prepare.
func KeepArctangents(m *mlir.Module) (int, error) {
	n := 0
	for op := range m.Operation().Index().Named(arctangents...) {
		if !isArctangent(op) || !isStatic(op) {
			continue
		}
		e, x := before(op), op.Operand(0)
		v := stablehlo.Atan2(e.Builder, stablehlo.Add(e.Builder, x, x), e.number(x.Type(), 2))
		if e.Err() != nil {
			return n, e.Err()
		}
		keepSharding(op, v.Owner())
		op.Result(0).ReplaceAllUses(v)
		if err := op.Erase(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
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
