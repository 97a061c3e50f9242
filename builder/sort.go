package builder

import (
	"math"

	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/chlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// SortOptions say how Sort sorts.
type SortOptions struct {
	Axis   int
	Stable bool // what is equal keeps its order
}

// Sort orders arrays of one shape together along an axis, so that less(a, b) says of an
// element and one after it that a goes first. xs is a tree of values: a Value, or structs,
// slices or maps of values:
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
	return s.many(len(xs), stablehlo.Sort{Inputs: mlirs(xs), Dimension: &axis, IsStable: o.Stable, Comparator: region})
}

// SortAscending orders x along an axis, the least first and NaN last.
func SortAscending(x Value, axis int) Value {
	s := begin("sort_ascending", x)
	if !s.ok {
		return s.none()
	}
	return sortBy(&s, x, []Value{x}, ascending, SortOptions{Axis: axis, Stable: true})[0]
}

// SortDescending orders x along an axis, the greatest first; NaN comes before it.
func SortDescending(x Value, axis int) Value {
	s := begin("sort_descending", x)
	if !s.ok {
		return s.none()
	}
	return sortBy(&s, x, []Value{x}, func(a, b Value) Value { return ascending(b, a) }, SortOptions{Axis: axis, Stable: true})[0]
}

// ArgSort are the indices along an axis, s32, that SortAscending would take x's elements
// from; what is equal keeps its order.
func ArgSort(x Value, axis int) Value {
	s := begin("arg_sort", x)
	if !s.ok {
		return s.none()
	}
	dims := dimsOf(x)
	if !isStatic(dims) {
		return s.fail("a dimension is not known")
	}
	axis = s.axis(axis, len(dims))
	index := s.one(stablehlo.Iota{IotaDimension: int64(axis), Result: s.tensor(tensor.Shape{DType: tensor.S32, Dims: dims})})
	if !s.ok {
		return s.none()
	}
	xs := []Value{x, index}
	return sortBy(&s, xs, xs, func(a, b []Value) Value { return ascending(a[0], b[0]) }, SortOptions{Axis: axis, Stable: true})[1]
}

// ascending is an order in which every number has a place: all NaNs are one and the
// last, and -0 is 0.
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

// TopK are the k greatest elements along the last axis, in descending order, and their
// indices in it, s32. It is an operation of CHLO.
func TopK(x Value, k int) (values, indices Value) {
	s := begin("top_k", x)
	if k < 0 {
		s.fail("there are no %d greatest elements", k)
	}
	results := s.many(2, chlo.TopK{Operand: x.v, K: int64(k)})
	return results[0], results[1]
}
