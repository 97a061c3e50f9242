package tensor

import (
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// ExtractSlice creates a tensor.extract_slice of a part of source, and returns it. If strides is
// nil, they are 1. The result has the rank of source: ExtractSliceOp makes one of lower rank.
func ExtractSlice(b *mlir.Builder, source mlir.Value, offsets, sizes, strides []mlir.Size) mlir.Value {
	t, dims := ods.Shaped(b, "the source of tensor.extract_slice", source)
	s := ods.SliceOf(b, "tensor.extract_slice", len(dims), offsets, sizes, strides)
	return ExtractSliceOp{
		Source: source, Offsets: s.OffsetValues, Sizes: s.SizeValues, Strides: s.StrideValues,
		StaticOffsets: s.Offsets, StaticSizes: s.Sizes, StaticStrides: s.Strides, ResultType: like(b, t, s.Sizes),
	}.Create(b).Result(0)
}

// InsertSlice creates a tensor.insert_slice, and returns dest with source in the place of a part. If
// strides is nil, they are 1.
func InsertSlice(b *mlir.Builder, source, dest mlir.Value, offsets, sizes, strides []mlir.Size) mlir.Value {
	_, dims := ods.Shaped(b, "the destination of tensor.insert_slice", dest)
	s := ods.SliceOf(b, "tensor.insert_slice", len(dims), offsets, sizes, strides)
	return InsertSliceOp{
		Source: source, Dest: dest, Offsets: s.OffsetValues, Sizes: s.SizeValues, Strides: s.StrideValues,
		StaticOffsets: s.Offsets, StaticSizes: s.Sizes, StaticStrides: s.Strides,
	}.Create(b).Result(0)
}

// Pad creates a tensor.pad that puts low elements before source and high elements behind it, in
// each dimension, and returns the result. body gets the indices of a new element and returns it.
func Pad(b *mlir.Builder, source mlir.Value, low, high []mlir.Size, body func(i []mlir.Value) mlir.Value) mlir.Value {
	t, dims := ods.Shaped(b, "the source of tensor.pad", source)
	staticLow, lowValues := ods.Split(b, "the low padding of tensor.pad", len(dims), low)
	staticHigh, highValues := ods.Split(b, "the high padding of tensor.pad", len(dims), high)
	if b.Err() == nil {
		for i := range dims {
			if dims[i] == mlir.Dynamic || staticLow[i] == mlir.Dynamic || staticHigh[i] == mlir.Dynamic {
				dims[i] = mlir.Dynamic
			} else {
				dims[i] += staticLow[i] + staticHigh[i]
			}
		}
	}
	return PadOp{
		Source: source, Low: lowValues, High: highValues, StaticLow: staticLow, StaticHigh: staticHigh,
		Region: element(b, len(dims), body), ResultType: like(b, t, dims),
	}.Create(b).Result(0)
}

// Generate creates a tensor.generate, and returns the result. body gets the indices of an element and
// returns it.
func Generate(
	b *mlir.Builder, resultType mlir.Type, dynamicExtents []mlir.Value, body func(i []mlir.Value) mlir.Value,
) mlir.Value {
	rank := 0
	if b.Err() == nil && !resultType.IsNil() {
		dims, _ := resultType.Dims()
		rank = len(dims)
	}
	return GenerateOp{DynamicExtents: dynamicExtents, Body: element(b, rank, body),
		ResultType: resultType}.Create(b).Result(0)
}

// element returns a region that computes an element from its indices.
func element(b *mlir.Builder, rank int, body func(i []mlir.Value) mlir.Value) mlir.Region {
	ods.Needs(b, body != nil)
	index := make([]mlir.Type, rank)
	for i := range index {
		index[i] = b.Context().IndexType()
	}
	return b.Region(func(in []mlir.Value) { Yield(b, body(in)) }, index...)
}

// like returns a tensor type with the element type of t.
func like(b *mlir.Builder, t mlir.Type, dims []int64) mlir.Type {
	if b.Err() != nil {
		return mlir.Type{}
	}
	elem, _ := t.Element()
	result, err := b.Context().TensorType(elem, dims...)
	b.Fail(err)
	return result
}
