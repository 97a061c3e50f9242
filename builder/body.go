package builder

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A body is the Go function that says what reduce, sort, scatter and similar operations do
// with single elements. It is called once, while building, with scalars. What it builds
// becomes the operation's region. XLA lets the region use only its arguments and constants.

// body builds the region of a Go function that takes two trees of scalars. The scalars have
// the element types of values, which are the leaves of tree. The region's arguments are all
// leaves of the first tree, then all leaves of the second. If interleaved is set, they
// alternate.
func body[T, R any](s *step, tree T, values []Value, interleaved bool, f func(a, b T) R) (mlir.Region, bool) {
	if s.ok && f == nil {
		s.fail("its Go function is nil")
	}
	if !s.ok {
		return mlir.Region{}, false
	}
	n := len(values)
	types := make([]mlir.Type, 2*n)
	first, second := func(i int) int { return i }, func(i int) int { return n + i }
	if interleaved {
		first, second = func(i int) int { return 2 * i }, func(i int) int { return 2*i + 1 }
	}
	for i, v := range values {
		t := s.typed(v, nil)
		types[first(i)], types[second(i)] = t, t
	}
	if !s.ok {
		return mlir.Region{}, false
	}
	region, _, ok := s.f.region(s.at, "the body of the "+s.name, types, false, func(args []Value) []Value {
		a, b := make([]Value, n), make([]Value, n)
		for i := range n {
			a[i], b[i] = args[first(i)], args[second(i)]
		}
		results, err := leaves(f(rebuild(tree, a), rebuild(tree, b)))
		if err != nil {
			s.fail("what its Go function returns: %w", err)
		}
		return results
	})
	s.ok = s.ok && ok
	return region, s.ok
}

// combine calls body for a function that makes one tree of two.
func combine[T any](s *step, tree T, values []Value, f func(a, b T) T) (mlir.Region, bool) {
	if f == nil {
		return body(s, tree, values, false, f)
	}
	return body(s, tree, values, false, func(a, b T) T {
		result := f(a, b)
		if err := difference(a, result, "what its Go function takes", "what that returns"); err != nil {
			s.fail("%w", err)
		}
		return result
	})
}

// decide calls body for a function that reports whether the first of two trees wins.
func decide[T any](s *step, tree T, values []Value, interleaved bool, f func(a, b T) Value) (mlir.Region, bool) {
	if f == nil {
		return body(s, tree, values, interleaved, f)
	}
	return body(s, tree, values, interleaved, func(a, b T) Value {
		result := f(a, b)
		if !result.v.IsNil() && !result.Shape().Equal(tensor.ShapeOf(tensor.Pred)) {
			s.fail("its Go function returns %s: it must return pred[]", result.describe())
		}
		return result
	})
}

// trees returns the leaves of trees, which must have the same structure.
func trees[T any](name string, list ...T) (step, [][]Value) {
	out := make([][]Value, len(list))
	var all []Value
	var failed error
	for i, tree := range list {
		values, err := leaves(tree)
		if err != nil && failed == nil {
			failed = err
		}
		out[i] = values
		all = append(all, values...)
	}
	s := mustFuncOf(all...).begin(name, all...)
	if failed != nil {
		s.fail("%w", failed)
	}
	for _, values := range out {
		if len(values) != len(out[0]) {
			s.fail("the trees hold %d and %d values: they must have the same structure", len(out[0]), len(values))
		}
	}
	if len(out[0]) == 0 {
		s.fail("the tree holds no value")
	}
	return s, out
}
