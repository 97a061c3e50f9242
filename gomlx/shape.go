package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	ir "github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// BroadcastInDim is builder.BroadcastInDim.
func (f *function) BroadcastInDim(x compute.Value, to shapes.Shape, axes []int) (compute.Value, error) {
	vs, err := f.own([]compute.Value{x})
	if err != nil {
		return nil, err
	}
	return f.first(f.values(func(t *trace) { t.add(ir.BroadcastInDim(t.in(f, vs[0]), t.dims(to), axes...)) }))
}

// Concatenate is builder.Concat.
func (f *function) Concatenate(axis int, operands ...compute.Value) (compute.Value, error) {
	switch len(operands) {
	case 0:
		return nil, orNoValues(nil, "Concatenate")
	case 1:
		return f.Identity(operands[0])
	}
	return f.one(func(xs []ir.Value) ir.Value { return ir.Concat(axis, xs...) }, operands...)
}

// Reshape is builder.Reshape. Of several dynamic dimensions each is the one of x that has its place among them.
func (f *function) Reshape(x compute.Value, dims ...int) (compute.Value, error) {
	vs, err := f.own([]compute.Value{x})
	if err != nil {
		return nil, err
	}
	var open []int // the dynamic axes of x
	for i, d := range f.builder.shape(vs[0]).Dimensions {
		if d == shapes.DynamicDim {
			open = append(open, i)
		}
	}
	return f.unary(func(x ir.Value) ir.Value {
		dims := slices.Clone(dims)
		for _, axis := range open {
			first := slices.Index(dims, shapes.DynamicDim)
			if first < 0 || !slices.Contains(dims[first+1:], shapes.DynamicDim) {
				break // builder.Reshape infers the last one
			}
			dims[first] = x.Shape().Dims[axis]
		}
		return ir.Reshape(x, dims...)
	}, x)
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
	return f.unary(func(x ir.Value) ir.Value { return ir.Slice(x, starts, whole(limits, x), strides...) }, x)
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
	d, err := element(shape.DType)
	if err != nil {
		return nil, err
	}
	return f.first(f.values(func(t *trace) {
		t.add(ir.Iota(t.funcs[f.number].Func, tensor.ShapeOf(d, t.dims(shape)...), axis))
	}))
}

// starts returns the indices at which a dynamic slice starts, which may be in one vector.
func starts(at []ir.Value) []ir.Value {
	if len(at) != 1 || at[0].Shape().Rank() != 1 {
		return at
	}
	at = ir.Split(at[0], at[0].Shape().Dims[0], 0)
	for i, v := range at {
		at[i] = ir.Reshape(v)
	}
	return at
}

// DynamicSlice is builder.DynamicSlice.
func (f *function) DynamicSlice(x compute.Value, at []compute.Value, dims []int) (compute.Value, error) {
	return f.one(func(xs []ir.Value) ir.Value {
		return ir.DynamicSlice(xs[0], starts(xs[1:]), whole(dims, xs[0])...)
	}, append([]compute.Value{x}, at...)...)
}

// DynamicUpdateSlice is builder.DynamicUpdateSlice.
func (f *function) DynamicUpdateSlice(x, update compute.Value, at []compute.Value) (compute.Value, error) {
	return f.one(func(xs []ir.Value) ir.Value {
		return ir.DynamicUpdateSlice(xs[0], xs[1], starts(xs[2:])...)
	}, append([]compute.Value{x, update}, at...)...)
}

// Gather is builder.Gather.
func (f *function) Gather(
	x, indices compute.Value, indexAxis int, offsetAxes, collapsedAxes, startIndexMap, sizes []int, sorted bool,
) (compute.Value, error) {
	return f.binary(func(x, indices ir.Value) ir.Value {
		return ir.Gather(x, indices, ir.GatherOptions{StartIndexMap: startIndexMap, IndexVectorDim: indexAxis,
			OffsetDims: offsetAxes, CollapsedSliceDims: collapsedAxes, SliceSizes: whole(sizes, x), Sorted: sorted})
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
	o := ir.ScatterOptions{ScatterDimsToOperandDims: toOperand, IndexVectorDim: indexAxis,
		UpdateWindowDims: windowAxes, InsertedWindowDims: insertedAxes, Sorted: sorted, Unique: unique}
	return f.one(func(xs []ir.Value) ir.Value {
		return ir.Scatter(xs[0], xs[1], xs[2], combine, o)
	}, x, indices, updates)
}
