package builder

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/vmap"
)

// CustomBatch returns f with a batch of its own, as jax.custom_batching.custom_vmap. rule takes the number of elements
// and a batch of the argument, and returns a batch of the result. It is used in place of f in each Batch around the
// call. All leaves are batched, along their first axis, also those that are the same for all elements: in_batched of
// JAX is always true.
//
// The derivative in forward mode is that of f, and its batch that of rule. In reverse mode f has none, as in JAX, but a
// batch of it has: that of rule. For both use CustomVJP of functions that call f. f and rule are called once for each
// call, while building, rule for each Batch around it. They may use values from outside, but not such as differ in the
// batch: make these a part of the argument. They must have no callbacks with side effects.
func CustomBatch[T, R any](f func(T) R, rule func(size int, x T) (y R)) func(T) R {
	return func(x T) (y R) {
		s, values := argument("custom_batch", x, f == nil || rule == nil)
		if y = structure(&s, f, x); !s.ok {
			return y
		}
		primal := s.trace(typesOf(values), nil, traceOf(f, x, &y))
		of, _ := leaves(y)
		captured := primal.captured
		var rules []customRule
		around := s.f.scope.batches
		for i, size := range slices.Backward(around) {
			if !s.ok || slices.Contains(around[i+1:], size) {
				continue
			}
			s.batches = around[:i]
			var z R
			r := s.trace(s.batchesOf(size, values), captured, traceOf(func(x T) R { return rule(size, x) }, x, &z))
			if want := s.batchesOf(size, of); s.ok && !slices.Equal(want, r.resultTypes()[:r.results]) {
				s.fail("its rule returns %v for a batch of %d, and must return %v", r.resultTypes(), size, want)
			}
			captured = r.captured
			rules = append(rules, customRule{fmt.Sprint("batch.", size), r})
		}
		return rebuildOr(&s, y, s.withRules(vmap.CustomBatch, values, primal, rules...))
	}
}

// batchesOf returns the types of batches of values.
func (s *step) batchesOf(size int, values []Value) []mlir.Type {
	types := make([]mlir.Type, len(values))
	for i, v := range values {
		if !s.ok {
			return nil
		}
		types[i] = s.typed(v, slices.Insert(dimsOf(v), 0, size))
	}
	return types
}
