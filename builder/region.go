package builder

import "github.com/calliope-mlir/calliope/mlir"

// region builds a region for an operation that will be created with it. It calls build with
// the region's arguments, ends the region with the values that build returns, and returns
// their types. name is the region's name in errors, for example "the body of the reduce".
// capture says whether XLA lets the region use values from outside: while, if and case do;
// reduce, map, sort, scatter and similar operations do not, and constants are cloned into
// their regions. It returns false after a mistake, which is recorded.
//
// The caller has called usable. The operation that is created with the region owns it.
// Erase a region that is not used.
func (f *Func) region(
	at place, name string, arguments []mlir.Type, capture bool, build func([]Value) []Value,
) (mlir.Region, []mlir.Type, bool) {
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

// build runs the Go function that fills the scope, and leaves the scope. It returns false
// if the function's results cannot end the region. A panic propagates, and what was built
// so far is discarded.
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
func (s *scope) end(results []Value) mlir.Region { return s.endWith("stablehlo.return", results) }

func (s *scope) endWith(terminator string, results []Value) mlir.Region {
	operands := make([]mlir.Value, len(results))
	for i, r := range results {
		operands[i] = r.v
	}
	op, err := mlir.Create(s.block, mlir.OperationState{Name: terminator, Location: s.at.location, Operands: operands})
	if err != nil {
		panic("BUG: builder: a region cannot be ended: " + err.Error())
	}
	s.cloneConstants(op)
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
