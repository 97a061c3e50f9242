package stablehlo

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// dropBounds makes dimensions with a bound open ones, once the arguments are known to respect the bounds: the passes
// that refine shapes keep a type with bounds as it is. A size that is a value of the run is an error: its array has
// room for as many elements as the bound says, and is one of fewer.
func dropBounds(m *mlir.Module) (err error) {
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if o, ok := AsSetDimensionSize(op); ok {
			err = refineError(op, "dimension %d gets a size that is a value of the run, and all sizes must be known "+
				"before it: give an argument of the size, or mask the elements beyond it", o.Dimension)
			return mlir.WalkStop
		}
		for _, v := range op.Results() {
			v.SetType(withoutBounds(v.Type()))
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for _, v := range b.Arguments() {
					v.SetType(withoutBounds(v.Type()))
				}
			}
		}
		if a, ok := op.Attribute("function_type"); ok && op.Name() == function {
			if t, ok := a.TypeValue(); ok {
				in, out, _ := t.Signature()
				t = m.Context().FunctionType(openTypes(in), openTypes(out))
				op.SetAttribute("function_type", m.Context().TypeAttribute(t))
			}
		}
		return mlir.WalkContinue
	})
	return err
}

func openTypes(list []mlir.Type) []mlir.Type {
	list = slices.Clone(list)
	for i, t := range list {
		list[i] = withoutBounds(t)
	}
	return list
}

// withoutBounds returns a type whose bounded dimensions are open.
func withoutBounds(t mlir.Type) mlir.Type {
	if !t.IsRankedTensor() || !isDynamic(t) {
		return t
	}
	dims, ok := DimensionsOf(t)
	if !ok || !slices.ContainsFunc(dims, func(d Dimension) bool { return d.Bound > 0 }) {
		return t
	}
	element, _ := t.Element()
	sizes, _ := t.Dims()
	open, err := t.Context().TensorType(element, sizes...)
	if err != nil {
		return t
	}
	return open
}
