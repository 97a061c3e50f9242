package builder

import (
	"slices"

	"github.com/calliope-mlir/calliope/stablehlo"
)

// GatherOptions describe the part of x that each index selects (StableHLO specification,
// gather). The zero value selects rows: an index counts along axis 0, and x[index] is the
// part.
type GatherOptions struct {
	// StartIndexMap lists the axes of x for which an index vector has numbers. If it is
	// empty, of the fields below only Sorted is used.
	StartIndexMap []int
	// axis of indices that holds the index vectors; its rank if indices are scalars
	IndexVectorDim                                int
	OffsetDims                                    []int // axes of the result that hold a part
	CollapsedSliceDims                            []int // axes of x that a part lacks, of size 1
	OperandBatchingDims, StartIndicesBatchingDims []int // axes that correspond
	SliceSizes                                    []int // dimensions of a part
	Sorted                                        bool  // the indices ascend, which may be faster
}

// Gather collects the parts of x at indices, which are integers. If part of a slice would
// be outside of x, the index is moved until the slice is inside.
func Gather(x, indices Value, o GatherOptions) Value {
	s := begin("gather", x, indices)
	if !s.ok {
		return s.none()
	}
	d, sizes := o.dimensions(&s, x, indices)
	return s.one(stablehlo.GatherOp{
		Operand: x.v, StartIndices: indices.v, DimensionNumbers: d, SliceSizes: int64s(sizes),
		IndicesAreSorted: o.Sorted,
	})
}

func (o GatherOptions) dimensions(s *step, x, indices Value) (stablehlo.GatherDimensionNumbers, []int) {
	if len(o.StartIndexMap) == 0 {
		return s.takeDimensions(x, indices, 0)
	}
	return stablehlo.GatherDimensionNumbers{
		OffsetDims: int64s(o.OffsetDims), CollapsedSliceDims: int64s(o.CollapsedSliceDims),
		OperandBatchingDims:      int64s(o.OperandBatchingDims),
		StartIndicesBatchingDims: int64s(o.StartIndicesBatchingDims),
		StartIndexMap:            int64s(o.StartIndexMap), IndexVectorDim: int64(o.IndexVectorDim),
	}, o.SliceSizes
}

// Take collects the elements at indices of an axis, like NumPy's take. If x is [a,b,c] and
// indices is [m,n], the result for axis 1 is [a,m,n,c]. An index out of range is replaced
// by the nearest valid one.
func Take(x, indices Value, axis int) Value {
	s := begin("take", x, indices)
	if !s.ok {
		return s.none()
	}
	d, sizes := s.takeDimensions(x, indices, axis)
	return s.one(
		stablehlo.GatherOp{Operand: x.v, StartIndices: indices.v, DimensionNumbers: d, SliceSizes: int64s(sizes)})
}

func (s *step) takeDimensions(x, indices Value, axis int) (d stablehlo.GatherDimensionNumbers, sizes []int) {
	sizes = dimsOf(x)
	axis = s.axis(axis, len(sizes))
	if !s.ok {
		return d, nil
	}
	if !isStatic(slices.Delete(slices.Clone(sizes), axis, axis+1)) {
		s.fail("a dimension of the part is unknown: use DynamicGather")
		return d, nil
	}
	sizes[axis] = 1
	n := rankOf(indices)
	for i := range sizes {
		switch {
		case i < axis:
			d.OffsetDims = append(d.OffsetDims, int64(i))
		case i > axis:
			d.OffsetDims = append(d.OffsetDims, int64(i-1+n))
		}
	}
	d.CollapsedSliceDims = []int64{int64(axis)}
	d.StartIndexMap = []int64{int64(axis)}
	d.IndexVectorDim = int64(n)
	return d, sizes
}

// TorchIndexSelect is Take in the form of PyTorch's index_select. x and indices share their
// first batchAxes axes, and each row of indices selects from the same row of x.
func TorchIndexSelect(x, indices Value, axis, batchAxes int) Value {
	s := begin("torch_index_select", x, indices)
	if !s.ok {
		return s.none()
	}
	dims, of := dimsOf(x), dimsOf(indices)
	axis = s.axis(axis, len(dims))
	if !s.ok {
		return s.none()
	}
	if batchAxes < 0 || batchAxes > axis || batchAxes > len(of) {
		return s.fail("%d batch axes are too many: at most %d (the axis) and at most %d (the rank of the indices)",
			batchAxes, axis, len(of))
	}
	result := slices.Concat(dims[:axis], of[batchAxes:], dims[axis+1:])
	return s.one(stablehlo.TorchIndexSelectOp{
		Operand: x.v, Index: indices.v, Dim: int64(axis), BatchDims: int64(batchAxes), ResultType: s.typed(x, result),
	})
}
