package builder

import "github.com/calliope-mlir/calliope/mlir"

// region builds a region for an operation that is to be made with it. It calls build
// with the region's arguments, and ends the region with what build returns, whose types
// it gives back. name is what errors call it, for example "the body of the reduce".
// capture says whether XLA lets the region use values from around it: in while, if and
// case it does, in reduce, map, sort, scatter and their like it doesn't; there constants
// are made again inside. It is false where a mistake was made, which is kept.
//
// The caller has asked usable. The region belongs to the operation that is created with
// it; one that is not used is erased.
func (f *Func) region(at place, name string, arguments []mlir.Type, capture bool, build func([]Value) []Value) (mlir.Region, []mlir.Type, bool) {
	if f.b.err != nil || f.broken {
		return mlir.Region{}, nil, false
	}
	s, values := f.open(at, name, arguments, capture)
	results, ok := s.build(func() []Value { return build(values) })
	if !ok {
		return mlir.Region{}, nil, false
	}
	return s.end(results), typesOf(results), true
}

// build runs the Go function that fills the scope, and leaves it. It is false where
// what the function returns cannot be what the region ends with. A panic goes through,
// and what was built up to it is given up.
func (s *scope) build(f func() []Value) (results []Value, ok bool) {
	defer func() {
		s.leave()
		if !ok {
			s.drop()
		}
	}()
	results = f()
	if !s.f.usableAs(s.at, s.name, "result", results) {
		return nil, false
	}
	return results, true
}

// end completes the region of a scope that build has filled.
func (s *scope) end(results []Value) mlir.Region {
	operands := make([]mlir.Value, len(results))
	for i, r := range results {
		operands[i] = r.v
	}
	op, err := s.block.Create(mlir.OperationState{Name: "stablehlo.return", Location: s.at.location, Operands: operands})
	if err != nil {
		panic("BUG: builder: a region cannot be ended: " + err.Error())
	}
	s.remake(op)
	region := s.f.b.ctx.NewRegion()
	region.Append(s.block)
	return region
}

func typesOf(values []Value) []mlir.Type {
	types := make([]mlir.Type, len(values))
	for i, v := range values {
		types[i] = v.v.Type()
	}
	return types
}
