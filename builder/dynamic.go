package builder

import (
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// The functions in this file take dimensions as values that are known only at run time.
// They also take what is known while building; -1 is an unknown dimension. XLA compiles
// such a program, for the CPU only, if it can determine all dimensions in the end.

// DynamicReshape is Reshape to the dimensions in shape, s32[rank]. dims are these
// dimensions, with -1 for unknown ones.
func DynamicReshape(x, shape Value, dims ...int) Value {
	s := begin("dynamic_reshape", x, shape)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.DynamicReshapeOp{Operand: x.v, OutputShape: shape.v, ResultType: s.typed(x, dims)})
}

// DynamicBroadcastInDim is BroadcastInDim to the dimensions in shape, s32[rank]. dims are
// these dimensions, with -1 for unknown ones.
func DynamicBroadcastInDim(x, shape Value, dims []int, axes ...int) Value {
	s := begin("dynamic_broadcast_in_dim", x, shape)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.DynamicBroadcastInDimOp{
		Operand: x.v, OutputDimensions: shape.v,
		BroadcastDimensions: int64s(s.axes(axes, len(dims))), ResultType: s.typed(x, dims),
	})
}

// DynamicIota is Iota with the dimensions in dims, s32[rank]. shape holds these dimensions,
// with -1 for unknown ones.
func DynamicIota(dims Value, shape tensor.Shape, axis int) Value {
	s := begin("dynamic_iota", dims)
	return s.one(stablehlo.DynamicIotaOp{
		OutputShape: dims.v, IotaDimension: int64(s.axis(axis, shape.Rank())), ResultType: s.tensor(shape),
	})
}

// DynamicPad is Pad with the amounts low, high and interior, each s32[rank]. dims are the
// dimensions of the result, with -1 for unknown ones.
func DynamicPad(x, value, low, high, interior Value, dims ...int) Value {
	s := begin("dynamic_pad", x, value, low, high, interior)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.DynamicPadOp{
		Operand: x.v, PaddingValue: value.v, EdgePaddingLow: low.v, EdgePaddingHigh: high.v,
		InteriorPadding: interior.v,
		ResultType:      s.typed(x, dims),
	})
}

// RealDynamicSlice is Slice with starts, limits and strides that are values, each
// s32[rank]. dims are the dimensions of the result, with -1 for unknown ones.
func RealDynamicSlice(x, starts, limits, strides Value, dims ...int) Value {
	s := begin("real_dynamic_slice", x, starts, limits, strides)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.RealDynamicSliceOp{
		Operand: x.v, StartIndices: starts.v, LimitIndices: limits.v, Strides: strides.v, ResultType: s.typed(x, dims),
	})
}

// DynamicGather is Gather with slice sizes that are a value, s32[rank].
func DynamicGather(x, indices, sizes Value, o GatherOptions) Value {
	s := begin("dynamic_gather", x, indices, sizes)
	if !s.ok {
		return s.none()
	}
	d, _ := o.dimensions(&s, x, indices)
	return s.one(stablehlo.DynamicGatherOp{
		Operand: x.v, StartIndices: indices.v, SliceSizes: sizes.v, DimensionNumbers: d, IndicesAreSorted: o.Sorted,
	})
}

// DynamicConv is Conv with padding that is a value, s32[spatial axes, 2]. dims are the
// dimensions of the result, with -1 for unknown ones. o.Padding and o.Same are not used.
func DynamicConv(x, kernel, padding Value, o ConvOptions, dims ...int) Value {
	s := begin("dynamic_conv", x, kernel, padding)
	if !s.ok {
		return s.none()
	}
	c := o.convolution(&s, x, kernel)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.DynamicConvOp{
		LHS: c.LHS, RHS: c.RHS, Padding: padding.v,
		WindowStrides: c.WindowStrides, LHSDilation: c.LHSDilation, RHSDilation: c.RHSDilation,
		WindowReversal:   c.WindowReversal,
		DimensionNumbers: c.DimensionNumbers, FeatureGroupCount: c.FeatureGroupCount,
		BatchGroupCount: c.BatchGroupCount,
		PrecisionConfig: c.PrecisionConfig, ResultType: s.typed(x, dims),
	})
}

// GetDimensionSize returns the dimension of x at an axis as a value, s32[].
func GetDimensionSize(x Value, axis int) Value {
	s := begin("get_dimension_size", x)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.GetDimensionSizeOp{Operand: x.v, Dimension: int64(s.axis(axis, rankOf(x)))})
}

// SetDimensionSize returns x with only the first size elements along an axis. size is an
// s32[] and at most the dimension.
func SetDimensionSize(x, size Value, axis int) Value {
	s := begin("set_dimension_size", x, size)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.SetDimensionSizeOp{Operand: x.v, Size: size.v, Dimension: int64(s.axis(axis, rankOf(x)))})
}
