package builder

import (
	"slices"

	"github.com/calliope-mlir/calliope/stablehlo"
)

// ScatterOptions say which part of x each index stands for (StableHLO specification,
// scatter). The zero value is rows: an index counts along axis 0, and x[index] is the
// part.
type ScatterOptions struct {
	// ScatterDimsToOperandDims names the axes of x that an index vector has numbers for.
	// Empty, the dimension fields below it are not used.
	ScatterDimsToOperandDims                      []int
	IndexVectorDim                                int   // the axis of indices along which an index vector stands; its rank where indices are scalars
	UpdateWindowDims                              []int // the axes of updates along which a part stands
	InsertedWindowDims                            []int // the axes of x that a part lacks, of size 1
	InputBatchingDims, ScatterIndicesBatchingDims []int // axes that go together
	Sorted                                        bool  // the indices ascend, which may make it quicker
	Unique                                        bool  // no index occurs twice, which may make it quicker; the program is wrong where one does
}

// Scatter is x with parts changed: at each index, body makes of an element of x and one
// of updates a new one. With scalar indices of shape [n] for axis 0 of x, which is
// [a,b,c], updates is [n,b,c]. Updates of one index are taken in any order; an index whose
// part is not all inside of x changes nothing.
//
// x and updates are trees of values of one structure: a Value, or structs, slices or maps
// of them, which are changed at the same indices.
func Scatter[T any](x T, indices Value, updates T, body func(old, update T) T, o ScatterOptions) T {
	s, values := trees("scatter", x, updates)
	s.operands = slices.Concat(values[0], []Value{indices}, values[1])
	return scatter(&s, x, values[0], indices, values[1], body, o)
}

// ScatterAdd is x with updates added at indices; see Scatter.
func ScatterAdd(x, indices, updates Value, o ScatterOptions) Value {
	s := begin("scatter_add", x, indices, updates)
	return scatter(&s, x, []Value{x}, indices, []Value{updates}, Add[Value, Value], o)
}

func scatter[T any](s *step, x T, xs []Value, indices Value, updates []Value, body func(old, update T) T, o ScatterOptions) T {
	s.ok = s.ok && s.f.usable(s.at, s.name, []Value{indices})
	if !s.ok {
		return x
	}
	d := stablehlo.ScatterDimensionNumbers{
		UpdateWindowDims: int64s(o.UpdateWindowDims), InsertedWindowDims: int64s(o.InsertedWindowDims),
		InputBatchingDims: int64s(o.InputBatchingDims), ScatterIndicesBatchingDims: int64s(o.ScatterIndicesBatchingDims),
		ScatterDimsToOperandDims: int64s(o.ScatterDimsToOperandDims), IndexVectorDim: int64(o.IndexVectorDim),
	}
	if len(o.ScatterDimsToOperandDims) == 0 {
		n, rank := rankOf(indices), rankOf(xs[0])
		if rank == 0 {
			s.fail("a scalar has no part that an index could stand for")
			return x
		}
		window := int64s(upTo(rank - 1))
		for i := range window {
			window[i] += int64(n)
		}
		d = stablehlo.ScatterDimensionNumbers{
			UpdateWindowDims: window, InsertedWindowDims: []int64{0}, ScatterDimsToOperandDims: []int64{0}, IndexVectorDim: int64(n),
		}
	}
	region, ok := combine(s, x, xs, body)
	if !ok {
		return x
	}
	return rebuild(x, s.many(len(xs), stablehlo.Scatter{
		Inputs: mlirs(xs), ScatterIndices: indices.v, Updates: mlirs(updates), ScatterDimensionNumbers: d,
		IndicesAreSorted: o.Sorted, UniqueIndices: o.Unique, UpdateComputation: region,
	}))
}
