package builder

import (
	"slices"

	"github.com/calliope-mlir/calliope/stablehlo"
)

// ScatterOptions describe the part of x that each index selects (StableHLO specification,
// scatter). The zero value selects rows: an index counts along axis 0, and x[index] is the
// part.
type ScatterOptions struct {
	// ScatterDimsToOperandDims lists the axes of x for which an index vector has numbers.
	// If it is empty, the dimension fields below are not used.
	ScatterDimsToOperandDims []int
	// axis of indices that holds the index vectors; its rank if indices are scalars
	IndexVectorDim                                int
	UpdateWindowDims                              []int // axes of updates that hold a part
	InsertedWindowDims                            []int // axes of x that a part lacks, of size 1
	InputBatchingDims, ScatterIndicesBatchingDims []int // axes that correspond
	Sorted                                        bool  // the indices ascend, which may be faster
	// no index occurs twice, which may be faster; the result is wrong if one does
	Unique bool
}

// Scatter returns x with parts changed. At each index, body combines an element of x and an
// element of updates into a new one. With scalar indices of shape [n] for axis 0 of x,
// which is [a,b,c], updates is [n,b,c]. Updates of the same index are applied in any order.
// An index whose part is not completely inside of x changes nothing.
//
// x and updates are trees of values with the same structure: a Value, or structs, slices or
// maps of values. All leaves are changed at the same indices.
func Scatter[T any](x T, indices Value, updates T, body func(old, update T) T, o ScatterOptions) T {
	s, values := trees("scatter", x, updates)
	s.operands = slices.Concat(values[0], []Value{indices}, values[1])
	return scatter(&s, x, values[0], indices, values[1], body, o)
}

// ScatterAdd returns x with updates added at indices. See Scatter.
func ScatterAdd(x, indices, updates Value, o ScatterOptions) Value {
	s := begin("scatter_add", x, indices, updates)
	return scatter(&s, x, []Value{x}, indices, []Value{updates}, Add[Value, Value], o)
}

func scatter[T any](
	s *step, x T, xs []Value, indices Value, updates []Value, body func(old, update T) T, o ScatterOptions,
) T {
	s.ok = s.ok && s.f.usable(s.at, s.name, []Value{indices})
	if !s.ok {
		return x
	}
	d := stablehlo.ScatterDimensionNumbers{
		UpdateWindowDims: int64s(o.UpdateWindowDims), InsertedWindowDims: int64s(o.InsertedWindowDims),
		InputBatchingDims:          int64s(o.InputBatchingDims),
		ScatterIndicesBatchingDims: int64s(o.ScatterIndicesBatchingDims),
		ScatterDimsToOperandDims:   int64s(o.ScatterDimsToOperandDims), IndexVectorDim: int64(o.IndexVectorDim),
	}
	if len(o.ScatterDimsToOperandDims) == 0 {
		n, rank := rankOf(indices), rankOf(xs[0])
		if rank == 0 {
			s.fail("the operand is a scalar: an index cannot select a part of it")
			return x
		}
		window := int64s(upTo(rank - 1))
		for i := range window {
			window[i] += int64(n)
		}
		d = stablehlo.ScatterDimensionNumbers{
			UpdateWindowDims: window, InsertedWindowDims: []int64{0}, ScatterDimsToOperandDims: []int64{0},
			IndexVectorDim: int64(n),
		}
	}
	region, ok := combine(s, x, xs, body)
	if !ok {
		return x
	}
	return rebuild(x, s.many(len(xs), stablehlo.ScatterOp{
		Inputs: mlirs(xs), ScatterIndices: indices.v, Updates: mlirs(updates), ScatterDimensionNumbers: d,
		IndicesAreSorted: o.Sorted, UniqueIndices: o.Unique, UpdateComputation: region,
	}))
}
