package ods

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// byValues holds the operations whose inference depends on the values of operands: a static
// result of static operands may differ from the inferred one.
var byValues = map[string]bool{"stablehlo.dynamic_gather": true, "stablehlo.rng": true, "stablehlo.set_dimension_size": true}

// DifferingOne returns the type of the only result if the inferred type is another one, and
// nil otherwise.
func (r *Reader) DifferingOne() mlir.Type {
	if r.op.NumResults() != 1 {
		r.ok = false
		return mlir.Type{}
	}
	if types := r.Differing(); types != nil {
		return types[0]
	}
	return mlir.Type{}
}

// Differing returns the types of the results if the inferred types are others, and nil
// otherwise.
//
// To infer the types it makes a copy of the operation. It does so only if a type is dynamic
// or quantized, or has an encoding: any other result type that is compatible with the
// inferred one is the same.
func (r *Reader) Differing() []mlir.Type {
	if !r.ok || !r.mayDiffer() {
		return nil
	}
	types := r.Results()
	if inferred, ok := r.infer(); ok && slices.Equal(types, inferred) {
		return nil
	}
	return types
}

func (r *Reader) mayDiffer() bool {
	if byValues[r.op.Name()] {
		return true
	}
	for _, v := range r.op.Results() {
		if !settled(v.Type()) {
			return true
		}
	}
	for _, v := range r.op.Operands() {
		if !settled(v.Type()) {
			return true
		}
	}
	// The types of if and case are those of the values that their regions return, which may
	// be defined outside.
	if name := r.op.Name(); name == "stablehlo.if" || name == "stablehlo.case" {
		for _, region := range r.op.Regions() {
			returned, _ := Returned(region)
			for _, v := range returned {
				if !settled(v.Type()) {
					return true
				}
			}
		}
	}
	return false
}

// settled reports whether a type is compatible only with itself among all static types.
func settled(t mlir.Type) bool {
	if elements, isTuple := t.Elements(); isTuple {
		for _, e := range elements {
			if !settled(e) {
				return false
			}
		}
		return true
	}
	dims, ok := t.Dims()
	if !ok {
		return !t.IsShaped() // a token is settled, and a tensor without a rank is not
	}
	if slices.Contains(dims, mlir.Dynamic) {
		return false
	}
	if _, encoded := t.Encoding(); encoded {
		return false
	}
	element, _ := t.Element()
	return element.Dialect() != "quant"
}

// infer returns the inferred types of the operation's results. It returns false if MLIR
// cannot infer them.
func (r *Reader) infer() (types []mlir.Type, ok bool) {
	c := r.op.Context()
	s := mlir.OperationState{Name: r.op.Name(), Location: r.op.Location(), InferResults: true}
	for _, v := range r.op.Operands() {
		s.Operands = append(s.Operands, v)
	}
	for name, a := range r.op.Attributes() {
		s.Attributes = append(s.Attributes, mlir.NamedAttribute{Name: name, Value: a})
	}
	if r.op.NumRegions() > 0 {
		copied := r.op.Clone()
		defer func() { ok = copied.Erase() == nil && ok }()
		for _, from := range copied.Regions() {
			region := c.NewRegion()
			region.TakeBody(from)
			s.Regions = append(s.Regions, region)
		}
	}
	inferred, err := c.Create(s)
	if err != nil {
		return nil, false
	}
	for _, v := range inferred.Results() {
		types = append(types, v.Type())
	}
	return types, inferred.Erase() == nil
}
