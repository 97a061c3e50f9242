package builder

import (
	"slices"

	"github.com/calliope-mlir/calliope/stablehlo"
)

// GatherOptions say which part of x each index stands for (StableHLO specification,
// gather). The zero value takes rows: an index counts along axis 0, and x[index] is the
// part.
type GatherOptions struct {
	// StartIndexMap names the axes of x that an index vector has numbers for. Empty, the
	// fields below it but Sorted are not used.
	StartIndexMap                                 []int
	IndexVectorDim                                int   // the axis of indices along which an index vector stands; its rank where indices are scalars
	OffsetDims                                    []int // the axes of the result along which a part stands
	CollapsedSliceDims                            []int // the axes of x that a part lacks, of size 1
	OperandBatchingDims, StartIndicesBatchingDims []int // axes that go together
	SliceSizes                                    []int // a part's dimensions
	Sorted                                        bool  // the indices ascend, which may make it quicker
}

// Gather collects parts of x at indices, which are integers. An index that would leave
// something of its part outside of x is moved so far that all of it is inside.
func Gather(x, indices Value, o GatherOptions) Value {
	s := begin("gather", x, indices)
	if !s.ok {
		return s.none()
	}
	d, sizes := o.dimensions(&s, x, indices)
	return s.one(stablehlo.Gather{
		Operand: x.v, StartIndices: indices.v, DimensionNumbers: d, SliceSizes: int64s(sizes), IndicesAreSorted: o.Sorted,
	})
}

func (o GatherOptions) dimensions(s *step, x, indices Value) (stablehlo.GatherDimensionNumbers, []int) {
	if len(o.StartIndexMap) == 0 {
		return s.takeDimensions(x, indices, 0)
	}
	return stablehlo.GatherDimensionNumbers{
		OffsetDims: int64s(o.OffsetDims), CollapsedSliceDims: int64s(o.CollapsedSliceDims),
		OperandBatchingDims: int64s(o.OperandBatchingDims), StartIndicesBatchingDims: int64s(o.StartIndicesBatchingDims),
		StartIndexMap: int64s(o.StartIndexMap), IndexVectorDim: int64(o.IndexVectorDim),
	}, o.SliceSizes
}

// Take collects what stands at indices of an axis, as NumPy's take does: where x is
// [a,b,c] and indices is [m,n], the result for axis 1 is [a,m,n,c]. An index that is out
// of range stands for the nearest that isn't.
func Take(x, indices Value, axis int) Value {
	s := begin("take", x, indices)
	if !s.ok {
		return s.none()
	}
	d, sizes := s.takeDimensions(x, indices, axis)
	return s.one(stablehlo.Gather{Operand: x.v, StartIndices: indices.v, DimensionNumbers: d, SliceSizes: int64s(sizes)})
}

func (s *step) takeDimensions(x, indices Value, axis int) (d stablehlo.GatherDimensionNumbers, sizes []int) {
	sizes = dimsOf(x)
	axis = s.axis(axis, len(sizes))
	if !s.ok {
		return d, nil
	}
	if !isStatic(slices.Delete(slices.Clone(sizes), axis, axis+1)) {
		s.fail("a dimension of what is taken is not known: use DynamicGather")
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

// TorchIndexSelect is Take as PyTorch's index_select has it: x and indices have their
// first batchAxes axes in common, and each row of indices takes from its own part of x.
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
		return s.fail("%d axes cannot be a batch: there are at most as many as %d, the axis, and %d, those of the indices", batchAxes, axis, len(of))
	}
	result := slices.Concat(dims[:axis], of[batchAxes:], dims[axis+1:])
	return s.one(stablehlo.TorchIndexSelect{
		Operand: x.v, Index: indices.v, Dim: int64(axis), BatchDims: int64(batchAxes), Result: s.typed(x, result),
	})
}
