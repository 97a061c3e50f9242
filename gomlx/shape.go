package gomlx

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	ir "github.com/calliope-mlir/calliope/builder"
)

// BroadcastInDim is builder.BroadcastInDim.
func (f *function) BroadcastInDim(x compute.Value, to shapes.Shape, axes []int) (compute.Value, error) {
	return f.unary(func(x ir.Value) ir.Value { return ir.BroadcastInDim(x, to.Dimensions, axes...) }, x)
}

// Concatenate is builder.Concat.
func (f *function) Concatenate(axis int, operands ...compute.Value) (compute.Value, error) {
	vs, err := f.all(operands)
	if err != nil || len(vs) == 0 {
		return nil, orNoValues(err, "Concatenate")
	}
	if len(vs) == 1 {
		return f.one(vs[0])
	}
	return f.one(ir.Concat(axis, vs...))
}

// Reshape is builder.Reshape.
func (f *function) Reshape(x compute.Value, dims ...int) (compute.Value, error) {
	return f.unary(func(x ir.Value) ir.Value { return ir.Reshape(x, dims...) }, x)
}

// Reverse is builder.Reverse.
func (f *function) Reverse(x compute.Value, axes ...int) (compute.Value, error) {
	return f.unary(func(x ir.Value) ir.Value { return ir.Reverse(x, axes...) }, x)
}

// Transpose is builder.Transpose.
func (f *function) Transpose(x compute.Value, permutation ...int) (compute.Value, error) {
	return f.unary(func(x ir.Value) ir.Value { return ir.Transpose(x, permutation...) }, x)
}

// Slice is builder.Slice.
func (f *function) Slice(x compute.Value, starts, limits, strides []int) (compute.Value, error) {
	return f.unary(func(x ir.Value) ir.Value { return ir.Slice(x, starts, limits, strides...) }, x)
}

// Pad is builder.Pad.
func (f *function) Pad(x, fill compute.Value, axes ...compute.PadAxis) (compute.Value, error) {
	paddings := make([]ir.Padding, len(axes))
	for i, a := range axes {
		paddings[i] = ir.Padding{Low: a.Start, High: a.End, Interior: a.Interior}
	}
	return f.binary(func(x, fill ir.Value) ir.Value { return ir.Pad(x, fill, paddings...) }, x, fill)
}

// Iota is builder.Iota.
func (f *function) Iota(shape shapes.Shape, axis int) (compute.Value, error) {
	s, err := toTensor(shape)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	return f.one(ir.Iota(f.ir, s, axis))
}

// starts returns the indices at which a dynamic slice starts, which may be in one vector.
func (f *function) starts(values []compute.Value) ([]ir.Value, error) {
	at, err := f.all(values)
	if err != nil || len(at) != 1 || at[0].Shape().Rank() != 1 {
		return at, err
	}
	at = ir.Split(at[0], at[0].Shape().Dims[0], 0)
	for i, v := range at {
		at[i] = ir.Reshape(v)
	}
	return at, f.builder.err()
}

// DynamicSlice is builder.DynamicSlice.
func (f *function) DynamicSlice(x compute.Value, starts []compute.Value, dims []int) (compute.Value, error) {
	at, err := f.starts(starts)
	if err != nil {
		return nil, err
	}
	return f.unary(func(x ir.Value) ir.Value { return ir.DynamicSlice(x, at, dims...) }, x)
}

// DynamicUpdateSlice is builder.DynamicUpdateSlice.
func (f *function) DynamicUpdateSlice(x, update compute.Value, starts []compute.Value) (compute.Value, error) {
	at, err := f.starts(starts)
	if err != nil {
		return nil, err
	}
	return f.binary(func(x, update ir.Value) ir.Value { return ir.DynamicUpdateSlice(x, update, at...) }, x, update)
}

// Gather is builder.Gather.
func (f *function) Gather(
	x, indices compute.Value, indexAxis int, offsetAxes, collapsedAxes, startIndexMap, sizes []int, sorted bool,
) (compute.Value, error) {
	return f.binary(func(x, indices ir.Value) ir.Value {
		return ir.Gather(x, indices, ir.GatherOptions{StartIndexMap: startIndexMap, IndexVectorDim: indexAxis,
			OffsetDims: offsetAxes, CollapsedSliceDims: collapsedAxes, SliceSizes: sizes, Sorted: sorted})
	}, x, indices)
}

// ScatterSum is builder.Scatter with builder.Add.
func (f *function) ScatterSum(
	x, indices, updates compute.Value, indexAxis int, windowAxes, insertedAxes, toOperand []int, sorted, unique bool,
) (compute.Value, error) {
	return f.scatter(ir.Add, x, indices, updates, indexAxis, windowAxes, insertedAxes, toOperand, sorted, unique)
}

// ScatterMax is builder.Scatter with builder.Max.
func (f *function) ScatterMax(
	x, indices, updates compute.Value, indexAxis int, windowAxes, insertedAxes, toOperand []int, sorted, unique bool,
) (compute.Value, error) {
	return f.scatter(ir.Max, x, indices, updates, indexAxis, windowAxes, insertedAxes, toOperand, sorted, unique)
}

// ScatterMin is builder.Scatter with builder.Min.
func (f *function) ScatterMin(
	x, indices, updates compute.Value, indexAxis int, windowAxes, insertedAxes, toOperand []int, sorted, unique bool,
) (compute.Value, error) {
	return f.scatter(ir.Min, x, indices, updates, indexAxis, windowAxes, insertedAxes, toOperand, sorted, unique)
}

func (f *function) scatter(
	combine func(a, b ir.Value) ir.Value, x, indices, updates compute.Value, indexAxis int,
	windowAxes, insertedAxes, toOperand []int, sorted, unique bool,
) (compute.Value, error) {
	vs, err := f.all([]compute.Value{x, indices, updates})
	if err != nil {
		return nil, err
	}
	return f.one(ir.Scatter(vs[0], vs[1], vs[2], combine, ir.ScatterOptions{ScatterDimsToOperandDims: toOperand,
		IndexVectorDim: indexAxis, UpdateWindowDims: windowAxes, InsertedWindowDims: insertedAxes, Sorted: sorted,
		Unique: unique}))
}
