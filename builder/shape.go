package builder

import (
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Convert is x with its elements converted to another type. Floating point numbers
// become integers towards zero, numbers become booleans as they differ from zero, and
// complex numbers become real by their real part.
func Convert(x Value, to tensor.DType) Value {
	s := begin("convert", x)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.Convert{Operand: x.v, Result: s.tensor(tensor.Shape{DType: to, Dims: dimsOf(x)})})
}

// Bitcast is x with its bits taken for elements of another type. Where that is narrower,
// the result has one dimension more, of the elements that one of x becomes; where it is
// wider, x's last dimension must be of as many elements as one of the result takes, and
// goes.
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
	return s.one(stablehlo.BitcastConvert{Operand: x.v, Result: t})
}

// Reshape is x's elements, in row-major order, in an array of other dimensions. One of
// them may be -1: it is then what is left for it.
func Reshape(x Value, dims ...int) Value {
	s := begin("reshape", x)
	if !s.ok {
		return s.none()
	}
	have := dimsOf(x)
	if !isStatic(have) {
		return s.fail("a dimension is not known: use DynamicReshape")
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
			return s.fail("the dimensions %v: at most one of them may be -1, and none below", dims)
		}
	}
	total := tensor.Shape{Dims: have}.NumElements()
	if unknown >= 0 {
		if n == 0 || total%n != 0 {
			return s.fail("%d elements have no place in the dimensions %v", total, dims)
		}
		dims[unknown] = total / n
	} else if n != total {
		return s.fail("%d elements have no place in the dimensions %v, which hold %d", total, dims, n)
	}
	return s.reshape(x, dims...)
}

// Flatten is x's elements as a vector.
func Flatten(x Value) Value { return Reshape(x, -1) }

// ExpandDims is x with a dimension of 1 at each of the axes of the result.
func ExpandDims(x Value, axes ...int) Value {
	s := begin("expand_dims", x)
	if !s.ok {
		return s.none()
	}
	have := dimsOf(x)
	rank := len(have) + len(axes)
	axes = s.axes(axes, rank)
	dims := make([]int, rank)
	if s.ok {
		for i, a := range rest(axes, rank) {
			dims[a] = have[i]
		}
		for _, a := range axes {
			dims[a] = 1
		}
	}
	return s.reshape(x, dims...)
}

// Squeeze is x without the given axes, which have a dimension of 1; without any axes,
// without all dimensions of 1.
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
			return s.fail("the dimension at axis %d is %d: only one of 1 can go", a, have[a])
		}
	}
	var dims []int
	for _, a := range rest(axes, len(have)) {
		dims = append(dims, have[a])
	}
	return s.reshape(x, dims...)
}

// Transpose is x with its axes in another order: the i-th of the result is the
// axes[i]-th of x. Without axes their order is reversed.
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
		return s.fail("%d axes are named, and the operand has %d", len(axes), rank)
	}
	return s.transpose(x, s.axes(axes, rank)...)
}

func (s *step) transpose(x Value, axes ...int) Value {
	return s.one(stablehlo.Transpose{Operand: x.v, Permutation: int64s(axes)})
}

// BroadcastTo repeats x to an array of the given dimensions as NumPy does: x's axes are
// the last ones, and those of dimension 1 are stretched.
func BroadcastTo(x Value, dims ...int) Value {
	s := begin("broadcast", x)
	if !s.ok {
		return s.none()
	}
	have := dimsOf(x)
	more := len(dims) - len(have)
	if more < 0 {
		return s.fail("an array of %d dimensions has no place in one of %d", len(have), len(dims))
	}
	axes := upTo(len(have))
	for i := range axes {
		axes[i] += more
	}
	return s.inDim(x, dims, axes)
}

// BroadcastInDim repeats x to an array of the given dimensions. The i-th axis of x
// becomes the axes[i]-th; it has that dimension, or 1.
func BroadcastInDim(x Value, dims []int, axes ...int) Value {
	s := begin("broadcast_in_dim", x)
	if !s.ok {
		return s.none()
	}
	if rank := rankOf(x); len(axes) != rank {
		return s.fail("%d axes are named for the %d of the operand", len(axes), rank)
	}
	axes = s.axes(axes, len(dims))
	if !s.ok {
		return s.none()
	}
	return s.inDim(x, dims, axes)
}

func (s *step) inDim(x Value, dims, axes []int) Value {
	if !isStatic(dims) {
		return s.fail("the dimensions %v: one that is not known needs DynamicBroadcastInDim", dims)
	}
	for i, d := range dimsOf(x) {
		if d != 1 && d != dims[axes[i]] {
			return s.fail("axis %d of the operand has the dimension %d, and %d in the result: it must be equal, or 1", i, d, dims[axes[i]])
		}
	}
	return s.broadcast(x, dims, axes)
}

// Slice is the part of x from starts to limits, which are not in it any more, one of
// each for every axis; of every strides[i]-th element where strides are given.
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
		return s.fail("%d starts, %d limits and %d strides: there must be %d of each, as many as axes", len(starts), len(limits), len(strides), rank)
	}
	return s.one(stablehlo.Slice{Operand: x.v, StartIndices: int64s(starts), LimitIndices: int64s(limits), Strides: int64s(strides)})
}

// SliceAxis is the part of x from start to limit along one axis, and all of the others.
// Negative numbers count from the end, as axes do.
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
		return s.fail("a dimension is not known: use RealDynamicSlice")
	}
	n := limits[axis]
	if start < 0 {
		start += n
	}
	if limit < 0 {
		limit += n
	}
	if start < 0 || start > limit || limit > n {
		return s.fail("from %d to %d is no part of axis %d, whose dimension is %d", start, limit, axis, n)
	}
	starts, strides := make([]int64, len(limits)), make([]int64, len(limits))
	for i := range strides {
		strides[i] = 1
	}
	starts[axis], limits[axis] = int64(start), limit
	return s.one(stablehlo.Slice{Operand: x.v, StartIndices: starts, LimitIndices: int64s(limits), Strides: strides})
}

// Split is x cut into n parts of one size along an axis.
func Split(x Value, n, axis int) []Value {
	s := begin("split", x)
	if !s.ok {
		return s.nones(min(max(n, 0), maxParts))
	}
	dims := dimsOf(x)
	axis = s.axis(axis, len(dims))
	if s.ok && (n < 1 || n > maxParts || dims[axis] < 0 || dims[axis]%n != 0) {
		s.fail("axis %d cannot be cut into %d equal parts", axis, n)
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

// maxParts keeps a wrong number of parts from taking all memory.
const maxParts = 1 << 20

// Concat joins arrays along an axis. Their other dimensions are equal.
func Concat(axis int, xs ...Value) Value {
	s := begin("concatenate", xs...)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.Concatenate{Inputs: mlirs(xs), Dimension: int64(s.axis(axis, rankOf(xs[0])))})
}

// Stack joins arrays of one shape along a new axis, of the result.
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
	return s.one(stablehlo.Concatenate{Inputs: mlirs(parts), Dimension: int64(axis)})
}

// Padding is what Pad adds along one axis: so many elements before and after, and
// between any two. Before and after may be negative, and take elements away then.
type Padding struct{ Low, High, Interior int }

// Pad adds elements around x, along each of its axes in turn. value is a number or a
// scalar; axes that no padding is given for stay as they are.
func Pad[V Operand](x Value, value V, paddings ...Padding) Value {
	s := begin("pad", append([]Value{x}, given(value)...)...)
	if !s.ok {
		return s.none()
	}
	rank := rankOf(x)
	if len(paddings) > rank {
		return s.fail("padding is given for %d axes, there are %d", len(paddings), rank)
	}
	low, high, interior := make([]int64, rank), make([]int64, rank), make([]int64, rank)
	for i, p := range paddings {
		s.sensible([]int{p.Low, p.High, p.Interior})
		low[i], high[i], interior[i] = int64(p.Low), int64(p.High), int64(p.Interior)
	}
	return s.one(stablehlo.Pad{
		Operand: x.v, PaddingValue: s.scalarOf(value, x).v,
		EdgePaddingLow: low, EdgePaddingHigh: high, InteriorPadding: interior,
	})
}

// scalarOf is an operand as a scalar of x's element type.
func (s *step) scalarOf(v any, x Value) Value {
	if value, ok := v.(Value); ok {
		return value
	}
	return s.scalar(v, x)
}

// Reverse turns the order of x's elements along the given axes.
func Reverse(x Value, axes ...int) Value {
	s := begin("reverse", x)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.Reverse{Operand: x.v, Dimensions: int64s(s.axes(axes, rankOf(x)))})
}

// DynamicSlice is the part of x of the given dimensions that begins at starts, which are
// integer scalars, one for each axis. A start that would leave part of the slice outside
// of x is moved so far that all of it is inside.
func DynamicSlice(x Value, starts []Value, dims ...int) Value {
	s := begin("dynamic_slice", append([]Value{x}, starts...)...)
	if !s.ok {
		return s.none()
	}
	if rank := rankOf(x); len(starts) != rank || len(dims) != rank {
		return s.fail("%d starts and %d dimensions: there must be %d of each, as many as axes", len(starts), len(dims), rank)
	}
	return s.one(stablehlo.DynamicSlice{Operand: x.v, StartIndices: mlirs(starts), SliceSizes: int64s(dims)})
}

// DynamicUpdateSlice is x with update in place of the part that begins at starts, which
// are as in DynamicSlice.
func DynamicUpdateSlice(x, update Value, starts ...Value) Value {
	s := begin("dynamic_update_slice", append([]Value{x, update}, starts...)...)
	if !s.ok {
		return s.none()
	}
	if rank := rankOf(x); len(starts) != rank {
		return s.fail("%d starts: there must be %d, as many as axes", len(starts), rank)
	}
	return s.one(stablehlo.DynamicUpdateSlice{Operand: x.v, Update: update.v, StartIndices: mlirs(starts)})
}

// DynamicIndex is the part of x at one index of an axis, which the result lacks. index
// is an integer scalar; one that is out of range stands for the nearest that isn't.
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
	row := s.one(stablehlo.DynamicSlice{Operand: x.v, StartIndices: mlirs(starts), SliceSizes: int64s(dims)})
	return s.reshape(row, append(dims[:axis], dims[axis+1:]...)...)
}

// DynamicUpdateIndex is x with update at one index of an axis, which update lacks; index
// is as in DynamicIndex.
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
		return s.fail("the update has the dimensions %v: it takes the place of %v", have, want)
	}
	dims[axis] = 1
	return s.one(stablehlo.DynamicUpdateSlice{Operand: x.v, Update: s.reshape(update, dims...).v, StartIndices: mlirs(starts)})
}

// startsAt are starts of 0 but for one axis.
func (s *step) startsAt(index Value, axis, rank int) []Value {
	if !s.ok {
		return nil
	}
	if rankOf(index) != 0 {
		s.fail("the index is no scalar")
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
