package builder

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Convert converts the elements of x to another type. Floating point numbers are truncated
// toward zero when they become integers. A number becomes true if it differs from zero. A
// complex number becomes its real part when it becomes real.
func Convert(x Value, to tensor.DType) Value {
	s := begin("convert", x)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.ConvertOp{Operand: x.v, ResultType: s.tensor(tensor.Shape{DType: to, Dims: dimsOf(x)})})
}

// Bitcast interprets the bits of x as elements of another type. If the new type is
// narrower, the result has one more dimension, for the elements that one element of x
// becomes. If it is wider, the last dimension of x must be the number of elements that form
// one element of the result, and the result lacks it.
func Bitcast(x Value, to tensor.DType) Value {
	s := begin("bitcast_convert", x)
	if !s.ok {
		return s.none()
	}
	element, err := stablehlo.ElementType(s.f.b.ctx, to)
	if err != nil {
		return s.fail("%w", err)
	}
	t, err := stablehlo.BitcastConvertType(x.v.Type(), element)
	if err != nil {
		return s.fail("%w", err)
	}
	return s.one(stablehlo.BitcastConvertOp{Operand: x.v, ResultType: t})
}

// Reshape returns x's elements, in row-major order, as an array of other dimensions. One of
// them may be -1: Reshape computes it from the others.
func Reshape(x Value, dims ...int) Value {
	s := begin("reshape", x)
	if !s.ok {
		return s.none()
	}
	have := dimsOf(x)
	if !isStatic(have) {
		return s.fail("a dimension is unknown: use DynamicReshape")
	}
	dims = append([]int(nil), dims...)
	unknown, n := -1, 1
	for i, d := range dims {
		switch {
		case d >= 0:
			n *= d
		case d == -1 && unknown < 0:
			unknown = i
		default:
			return s.fail("the dimensions %v are invalid: one of them may be -1, the others must not be negative", dims)
		}
	}
	total := tensor.Shape{Dims: have}.NumElements()
	if unknown >= 0 {
		if n == 0 || total%n != 0 {
			return s.fail("%d elements do not fit the dimensions %v", total, dims)
		}
		dims[unknown] = total / n
	} else if n != total {
		return s.fail("%d elements do not fit the dimensions %v, which hold %d", total, dims, n)
	}
	return s.reshape(x, dims...)
}

// Flatten returns x's elements as a vector.
func Flatten(x Value) Value { return Reshape(x, -1) }

// ExpandDims returns x with a new dimension of 1 at each of the axes of the result.
func ExpandDims(x Value, axes ...int) Value {
	s := begin("expand_dims", x)
	if !s.ok {
		return s.none()
	}
	have := dimsOf(x)
	rank := len(have) + len(axes)
	axes = s.axes(axes, rank)
	from := slices.Repeat([]int{-1}, rank)
	if s.ok {
		for i, a := range rest(axes, rank) {
			from[a] = i
		}
	}
	return s.reaxis(x, from)
}

// reaxis reshapes x to an array whose axis i is the axis from[i] of x, or a new one, of dimension 1, if that is -1.
func (s *step) reaxis(x Value, from []int) Value {
	if !s.ok {
		return s.none()
	}
	have, dims := dimsOf(x), slices.Repeat([]int{1}, len(from))
	for i, a := range from {
		if a >= 0 {
			dims[i] = have[a]
		}
	}
	if isStatic(dims) {
		return s.reshape(x, dims...)
	}
	var sizes []mlir.Value
	for _, a := range from {
		if a >= 0 {
			sizes = append(sizes, s.size(x, a))
		} else {
			sizes = append(sizes, s.splat(1, s.tensor(tensor.ShapeOf(tensor.S32, 1))).v)
		}
	}
	shape := s.one(stablehlo.ConcatenateOp{Inputs: sizes})
	return s.one(stablehlo.DynamicReshapeOp{Operand: x.v, OutputShape: shape.v, ResultType: s.typed(x, dims)})
}

// Squeeze returns x without the given axes, whose dimensions must be 1. Without axes it
// removes all dimensions of 1.
func Squeeze(x Value, axes ...int) Value {
	s := begin("squeeze", x)
	if !s.ok {
		return s.none()
	}
	have := dimsOf(x)
	if len(axes) == 0 {
		for i, d := range have {
			if d == 1 {
				axes = append(axes, i)
			}
		}
	}
	axes = s.axes(axes, len(have))
	for _, a := range axes {
		if have[a] != 1 {
			return s.fail("the dimension at axis %d is %d: only a dimension of 1 can be removed", a, have[a])
		}
	}
	return s.reaxis(x, rest(axes, len(have)))
}

// Transpose permutes the axes of x: axis i of the result is axis axes[i] of x. Without axes
// it reverses their order.
func Transpose(x Value, axes ...int) Value {
	s := begin("transpose", x)
	if !s.ok {
		return s.none()
	}
	rank := rankOf(x)
	if len(axes) == 0 {
		for i := range rank {
			axes = append(axes, rank-1-i)
		}
	}
	if len(axes) != rank {
		return s.fail("there are %d axes, and the operand has %d dimensions", len(axes), rank)
	}
	return s.transpose(x, s.axes(axes, rank)...)
}

func (s *step) transpose(x Value, axes ...int) Value {
	return s.one(stablehlo.TransposeOp{Operand: x.v, Permutation: int64s(axes)})
}

// BroadcastTo repeats x to an array of the given dimensions, like NumPy: x's axes are the
// last ones, and dimensions of 1 are stretched.
func BroadcastTo(x Value, dims ...int) Value {
	s := begin("broadcast", x)
	if !s.ok {
		return s.none()
	}
	have := dimsOf(x)
	more := len(dims) - len(have)
	if more < 0 {
		return s.fail("an array of %d dimensions cannot be broadcast to %d dimensions", len(have), len(dims))
	}
	axes := upTo(len(have))
	for i := range axes {
		axes[i] += more
	}
	return s.inDim(x, dims, axes)
}

// BroadcastInDim repeats x to an array of the given dimensions. Axis i of x becomes axis
// axes[i] of the result. Its dimension is that of the result, or 1.
func BroadcastInDim(x Value, dims []int, axes ...int) Value {
	s := begin("broadcast_in_dim", x)
	if !s.ok {
		return s.none()
	}
	if rank := rankOf(x); len(axes) != rank {
		return s.fail("there are %d axes, and the operand has %d dimensions", len(axes), rank)
	}
	axes = s.axes(axes, len(dims))
	if !s.ok {
		return s.none()
	}
	return s.inDim(x, dims, axes)
}

func (s *step) inDim(x Value, dims, axes []int) Value {
	if !isStatic(dims) {
		return s.fail("one of the dimensions %v is unknown: use DynamicBroadcastInDim", dims)
	}
	for i, d := range dimsOf(x) {
		if d != 1 && d != dims[axes[i]] {
			return s.fail("axis %d of the operand has the dimension %d, and the result has %d: they must be equal, or the operand's must be 1", i, d, dims[axes[i]])
		}
	}
	return s.broadcast(x, dims, axes)
}

// Slice returns the part of x from starts up to, but not including, limits. Each has one
// entry for every axis. With strides it takes every strides[i]-th element.
func Slice(x Value, starts, limits []int, strides ...int) Value {
	s := begin("slice", x)
	if !s.ok {
		return s.none()
	}
	rank := rankOf(x)
	if strides == nil {
		strides = make([]int, rank)
		for i := range strides {
			strides[i] = 1
		}
	}
	if len(starts) != rank || len(limits) != rank || len(strides) != rank {
		return s.fail("there are %d starts, %d limits and %d strides: there must be %d of each, one for each axis",
			len(starts), len(limits), len(strides), rank)
	}
	return s.one(stablehlo.SliceOp{Operand: x.v, StartIndices: int64s(starts), LimitIndices: int64s(limits),
		Strides: int64s(strides)})
}

// SliceAxis returns the part of x from start up to, but not including, limit along one
// axis, and all of the other axes. Negative numbers count from the end, as for axes.
func SliceAxis(x Value, axis, start, limit int) Value {
	s := begin("slice", x)
	if !s.ok {
		return s.none()
	}
	return s.sliceAxis(x, axis, start, limit)
}

func (s *step) sliceAxis(x Value, axis, start, limit int) Value {
	limits := dimsOf(x)
	axis = s.axis(axis, len(limits))
	if !s.ok {
		return s.none()
	}
	if !isStatic(limits) {
		return s.fail("a dimension is unknown: use RealDynamicSlice")
	}
	n := limits[axis]
	if start < 0 {
		start += n
	}
	if limit < 0 {
		limit += n
	}
	if start < 0 || start > limit || limit > n {
		return s.fail("the range from %d to %d is not within axis %d, whose dimension is %d", start, limit, axis, n)
	}
	starts, strides := make([]int64, len(limits)), make([]int64, len(limits))
	for i := range strides {
		strides[i] = 1
	}
	starts[axis], limits[axis] = int64(start), limit
	return s.one(stablehlo.SliceOp{Operand: x.v, StartIndices: starts, LimitIndices: int64s(limits), Strides: strides})
}

// Split splits x into n parts of equal size along an axis.
func Split(x Value, n, axis int) []Value {
	s := begin("split", x)
	if !s.ok {
		return s.nones(min(max(n, 0), maxParts))
	}
	dims := dimsOf(x)
	axis = s.axis(axis, len(dims))
	if s.ok && (n < 1 || n > maxParts || dims[axis] < 0 || dims[axis]%n != 0) {
		s.fail("axis %d cannot be split into %d equal parts", axis, n)
	}
	parts := s.nones(min(max(n, 0), maxParts))
	if !s.ok {
		return parts
	}
	size := dims[axis] / n
	for i := range parts {
		parts[i] = s.sliceAxis(x, axis, i*size, (i+1)*size)
	}
	return parts
}

// maxParts keeps a wrong number of parts from using up all memory.
const maxParts = 1 << 20

// Concat joins arrays along an axis. Their other dimensions must be equal.
func Concat(axis int, xs ...Value) Value {
	s := begin("concatenate", xs...)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.ConcatenateOp{Inputs: mlirs(xs), Dimension: int64(s.axis(axis, rankOf(xs[0])))})
}

// Stack joins arrays of the same shape along a new axis of the result.
func Stack(axis int, xs ...Value) Value {
	s := begin("stack", xs...)
	if !s.ok {
		return s.none()
	}
	have := dimsOf(xs[0])
	axis = s.axis(axis, len(have)+1)
	dims := append(append(append([]int{}, have[:axis]...), 1), have[axis:]...)
	parts := make([]Value, len(xs))
	for i, x := range xs {
		parts[i] = s.reshape(x, dims...)
	}
	return s.one(stablehlo.ConcatenateOp{Inputs: mlirs(parts), Dimension: int64(axis)})
}

// Padding is the number of elements that Pad adds along one axis: before, after, and
// between any two elements. Low and High may be negative, which removes elements.
type Padding struct{ Low, High, Interior int }

// Pad adds elements around x, along each of its axes in turn. value is a number or a
// scalar. Axes without an entry in paddings stay as they are.
func Pad[V Operand](x Value, value V, paddings ...Padding) Value {
	s := begin("pad", append([]Value{x}, given(value)...)...)
	if !s.ok {
		return s.none()
	}
	rank := rankOf(x)
	if len(paddings) > rank {
		return s.fail("there are %d paddings for %d axes", len(paddings), rank)
	}
	low, high, interior := make([]int64, rank), make([]int64, rank), make([]int64, rank)
	for i, p := range paddings {
		s.checkRange([]int{p.Low, p.High, p.Interior})
		low[i], high[i], interior[i] = int64(p.Low), int64(p.High), int64(p.Interior)
	}
	return s.one(stablehlo.PadOp{
		Operand: x.v, PaddingValue: s.scalarOf(value, x).v,
		EdgePaddingLow: low, EdgePaddingHigh: high, InteriorPadding: interior,
	})
}

// scalarOf returns an operand as a scalar of x's element type.
func (s *step) scalarOf(v any, x Value) Value {
	if value, ok := v.(Value); ok {
		return value
	}
	return s.scalar(v, x)
}

// Reverse reverses the order of x's elements along the given axes.
func Reverse(x Value, axes ...int) Value {
	s := begin("reverse", x)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.ReverseOp{Operand: x.v, Dimensions: int64s(s.axes(axes, rankOf(x)))})
}

// DynamicSlice returns the part of x that has the given dimensions and begins at starts.
// starts are integer scalars, one for each axis. If part of the slice would be outside of
// x, its start is moved until all of it is inside.
func DynamicSlice(x Value, starts []Value, dims ...int) Value {
	s := begin("dynamic_slice", append([]Value{x}, starts...)...)
	if !s.ok {
		return s.none()
	}
	if rank := rankOf(x); len(starts) != rank || len(dims) != rank {
		return s.fail("there are %d starts and %d dimensions: there must be %d of each, one for each axis", len(starts),
			len(dims), rank)
	}
	return s.one(stablehlo.DynamicSliceOp{Operand: x.v, StartIndices: mlirs(starts), SliceSizes: int64s(dims)})
}

// DynamicUpdateSlice returns x with the part that begins at starts replaced by update.
// starts are as for DynamicSlice.
func DynamicUpdateSlice(x, update Value, starts ...Value) Value {
	s := begin("dynamic_update_slice", append([]Value{x, update}, starts...)...)
	if !s.ok {
		return s.none()
	}
	if rank := rankOf(x); len(starts) != rank {
		return s.fail("there are %d starts: there must be %d, one for each axis", len(starts), rank)
	}
	return s.one(stablehlo.DynamicUpdateSliceOp{Operand: x.v, Update: update.v, StartIndices: mlirs(starts)})
}

// DynamicIndex returns the part of x at one index of an axis. The result lacks the axis.
// index is an integer scalar. An index out of range is replaced by the nearest valid one.
func DynamicIndex(x, index Value, axis int) Value {
	s := begin("dynamic_index", x, index)
	if !s.ok {
		return s.none()
	}
	dims := dimsOf(x)
	axis = s.axis(axis, len(dims))
	starts := s.startsAt(index, axis, len(dims))
	if !s.ok {
		return s.none()
	}
	dims[axis] = 1
	row := s.one(stablehlo.DynamicSliceOp{Operand: x.v, StartIndices: mlirs(starts), SliceSizes: int64s(dims)})
	return s.reshape(row, append(dims[:axis], dims[axis+1:]...)...)
}

// DynamicUpdateIndex returns x with the part at one index of an axis replaced by update,
// which lacks the axis. index is as for DynamicIndex.
func DynamicUpdateIndex(x, update, index Value, axis int) Value {
	s := begin("dynamic_update_index", x, update, index)
	if !s.ok {
		return s.none()
	}
	dims := dimsOf(x)
	axis = s.axis(axis, len(dims))
	starts := s.startsAt(index, axis, len(dims))
	if !s.ok {
		return s.none()
	}
	want := append(append([]int{}, dims[:axis]...), dims[axis+1:]...)
	if have := dimsOf(update); !(tensor.Shape{Dims: want}).Equal(tensor.Shape{Dims: have}) {
		return s.fail("the update has the dimensions %v: they must be %v", have, want)
	}
	dims[axis] = 1
	return s.one(
		stablehlo.DynamicUpdateSliceOp{Operand: x.v, Update: s.reshape(update, dims...).v, StartIndices: mlirs(starts)})
}

// startsAt returns starts that are index at axis and 0 elsewhere.
func (s *step) startsAt(index Value, axis, rank int) []Value {
	if !s.ok {
		return nil
	}
	if rankOf(index) != 0 {
		s.fail("the index is not a scalar")
		return nil
	}
	starts := make([]Value, rank)
	zero := index
	if rank > 1 {
		zero = s.scalar(0, index)
	}
	for i := range starts {
		starts[i] = zero
	}
	starts[axis] = index
	return starts
}
