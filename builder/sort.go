package builder

import (
	"math"

	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/chlo"
)

// SortOptions are the options of Sort.
type SortOptions struct {
	Axis   int
	Stable bool // equal elements keep their order
}

// Sort sorts arrays of the same shape together along an axis. less(a, b) reports whether a
// must come before b. xs is a tree of values: a Value, or structs, slices or maps of
// values:
//
//	type entry struct{ Key, Index builder.Value }
//	sorted := builder.Sort(entry{keys, index}, func(a, b entry) builder.Value {
//		return builder.Lt(a.Key, b.Key)
//	}, builder.SortOptions{Stable: true})
func Sort[T any](xs T, less func(a, b T) Value, o SortOptions) T {
	s, values := trees("sort", xs)
	if !s.ok {
		return xs
	}
	return rebuild(xs, sortBy(&s, xs, values[0], less, o))
}

func sortBy[T any](s *step, tree T, xs []Value, less func(a, b T) Value, o SortOptions) []Value {
	axis := int64(s.axis(o.Axis, rankOf(xs[0])))
	region, ok := decide(s, tree, xs, true, less)
	if !ok {
		return s.nones(len(xs))
	}
	return s.many(len(xs),
		stablehlo.SortOp{Inputs: mlirs(xs), Dimension: &axis, IsStable: o.Stable, Comparator: region})
}

// SortAscending sorts x along an axis, the least element first and NaN last.
func SortAscending(x Value, axis int) Value {
	s := begin("sort_ascending", x)
	if !s.ok {
		return s.none()
	}
	return sortBy(&s, x, []Value{x}, ascending, SortOptions{Axis: axis, Stable: true})[0]
}

// SortDescending sorts x along an axis, the greatest element first. NaN comes before all
// numbers.
func SortDescending(x Value, axis int) Value {
	s := begin("sort_descending", x)
	if !s.ok {
		return s.none()
	}
	return sortBy(&s, x, []Value{x}, func(a, b Value) Value { return ascending(b, a) },
		SortOptions{Axis: axis, Stable: true})[0]
}

// ArgSort returns the indices, s32, of x's elements along an axis in the order of
// SortAscending. Equal elements keep their order.
func ArgSort(x Value, axis int) Value {
	s := begin("arg_sort", x)
	if !s.ok {
		return s.none()
	}
	axis = s.axis(axis, rankOf(x))
	index := s.places(x, axis)
	if !s.ok {
		return s.none()
	}
	xs := []Value{x, index}
	return sortBy(&s, xs, xs, func(a, b []Value) Value { return ascending(a[0], b[0]) },
		SortOptions{Axis: axis, Stable: true})[1]
}

// ascending is a total order: all NaNs are equal and come last, and -0 equals 0.
func ascending(a, b Value) Value {
	if a.v.IsNil() || comparisonType(a.v.Type()) != stablehlo.CompareFloat {
		return Lt(a, b)
	}
	return TotalOrderLt(canonical(a), canonical(b))
}

func canonical(x Value) Value {
	x = Select(Eq(x, 0), 0.0, x)
	return Select(Ne(x, x), math.NaN(), x)
}

// TopK returns the k greatest elements along the last axis, in descending order, and their
// indices, s32. It is an operation of CHLO.
func TopK(x Value, k int) (values, indices Value) {
	s := begin("top_k", x)
	if k < 0 {
		s.fail("k is %d: it must not be negative", k)
	}
	results := s.many(2, chlo.TopKOp{Operand: x.v, K: int64(k)})
	return results[0], results[1]
}
