package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// The functions below compute the result types of operations for which StableHLO has
// no inference, from the rules of its specification. A dimension whose size cannot be
// computed is dynamic in the result. A dimension that is kept keeps its bound. The
// functions return an error if the operands determine no result type. The verifier checks
// everything else.

// ReshapeType returns the result type of reshape: the operand's element type with other
// dimensions. The number of elements must not change.
func ReshapeType(operand mlir.Type, dims ...int64) (mlir.Type, error) {
	t, err := tensorOf("reshape", "operand", operand)
	if err != nil {
		return mlir.Type{}, err
	}
	to := make([]Dimension, len(dims))
	for i, d := range dims {
		to[i].Size = d
	}
	if have, ok := count(t.dims); ok {
		if want, ok := count(to); ok && want != have {
			return mlir.Type{},
				fmt.Errorf("stablehlo: reshape: %s has %d elements, and %v would have %d", operand, have, dims, want)
		}
	}
	return BoundedTensorType(t.c, t.element, to...)
}

// BroadcastInDimType returns the result type of broadcast_in_dim. Dimension i of the
// operand becomes dimension broadcastDimensions[i] of the result, whose sizes are dims.
func BroadcastInDimType(operand mlir.Type, broadcastDimensions []int64, dims ...int64) (mlir.Type, error) {
	const op = "broadcast_in_dim"
	t, err := tensorOf(op, "operand", operand)
	if err != nil {
		return mlir.Type{}, err
	}
	if len(broadcastDimensions) != len(t.dims) {
		return mlir.Type{}, fmt.Errorf("stablehlo: %s: %s has %d dimensions, but %d broadcast dimensions are given", op,
			operand, len(t.dims), len(broadcastDimensions))
	}
	to := make([]Dimension, len(dims))
	for i, d := range dims {
		to[i].Size = d
	}
	seen := make([]bool, len(dims))
	for i, d := range broadcastDimensions {
		if err := take(op, "broadcast dimension", d, seen); err != nil {
			return mlir.Type{}, err
		}
		from := t.dims[i]
		if from.Size != mlir.Dynamic && from.Size != 1 && dims[d] != mlir.Dynamic && from.Size != dims[d] {
			return mlir.Type{}, fmt.Errorf("stablehlo: %s: dimension %d of the operand has the size %d, which cannot become the size %d of the result's dimension %d", op, i, from.Size, dims[d], d)
		}
	}
	return BoundedTensorType(t.c, t.element, to...)
}

// IotaType returns the result type of iota, whose values increase along one dimension.
func IotaType(element mlir.Type, dimension int64, dims ...int64) (mlir.Type, error) {
	if element.IsNil() {
		return mlir.Type{}, fmt.Errorf("stablehlo: iota: the element type is missing")
	}
	if dimension < 0 || dimension >= int64(len(dims)) {
		return mlir.Type{},
			fmt.Errorf("stablehlo: iota: there is no dimension %d among %d dimensions", dimension, len(dims))
	}
	return element.Context().TensorType(element, dims...)
}

// ConvertType returns the result type of convert, or of uniform_quantize if element is a
// quantized type: the operand's dimensions with another element type.
func ConvertType(operand, element mlir.Type) (mlir.Type, error) {
	t, err := tensorOf("convert", "operand", operand)
	if err != nil {
		return mlir.Type{}, err
	}
	return BoundedTensorType(t.c, element, t.dims...)
}

// BitcastConvertType returns the result type of bitcast_convert: the operand's bits read
// as elements of another type. Narrower elements add a last dimension. Wider elements
// remove the last dimension.
func BitcastConvertType(operand, element mlir.Type) (mlir.Type, error) {
	const op = "bitcast_convert"
	t, err := tensorOf(op, "operand", operand)
	if err != nil {
		return mlir.Type{}, err
	}
	if element.IsNil() {
		return mlir.Type{}, fmt.Errorf("stablehlo: %s: the element type is missing", op)
	}
	from, to := bitsOf(t.element), bitsOf(element)
	if from == 0 || to == 0 {
		return mlir.Type{},
			fmt.Errorf("stablehlo: %s: the bit width of %s or of %s is not known", op, t.element, element)
	}
	dims := t.dims
	switch {
	case from == to:
	case from%to == 0:
		dims = append(dims[:len(dims):len(dims)], Dimension{Size: int64(from / to)})
	case to%from == 0:
		last := len(dims) - 1
		if last < 0 || dims[last].Size != int64(to/from) && dims[last].Size != mlir.Dynamic {
			return mlir.Type{},
				fmt.Errorf("stablehlo: %s: to make elements of %s, %s needs a last dimension of the size %d", op,
					element, operand, to/from)
		}
		dims = dims[:last]
	default:
		return mlir.Type{}, fmt.Errorf("stablehlo: %s: the %d bits of %s and the %d of %s do not divide each other", op,
			from, t.element, to, element)
	}
	return BoundedTensorType(t.c, element, dims...)
}

// AllGatherType returns the result type of all_gather for one operand. One dimension is
// multiplied by the number of devices in a group.
func AllGatherType(operand mlir.Type, dimension, groupSize int64) (mlir.Type, error) {
	const op = "all_gather"
	return resized(op, operand, "all-gather dimension", dimension, groupSize, func(size int64) (int64, error) {
		if size > 0 && groupSize > maxSize/size {
			return 0, fmt.Errorf("stablehlo: %s: %d times the size %d is too large", op, groupSize, size)
		}
		return size * groupSize, nil
	})
}

// ReduceScatterType returns the result type of reduce_scatter. One dimension is divided by
// the number of devices in a group, and must be divisible by it.
func ReduceScatterType(operand mlir.Type, dimension, groupSize int64) (mlir.Type, error) {
	const op = "reduce_scatter"
	return resized(op, operand, "scatter dimension", dimension, groupSize, func(size int64) (int64, error) {
		if size%groupSize != 0 {
			return 0, fmt.Errorf("stablehlo: %s: the size %d of dimension %d is not divisible by %d devices", op, size,
				dimension, groupSize)
		}
		return size / groupSize, nil
	})
}

// resized returns the type of an operand with one dimension resized for the devices of a
// group. In errors the dimension is named what.
func resized(
	op string, operand mlir.Type, what string, dimension, groupSize int64, resize func(size int64) (int64, error),
) (mlir.Type, error) {
	t, err := tensorOf(op, "operand", operand)
	if err != nil {
		return mlir.Type{}, err
	}
	if err := take(op, what, dimension, make([]bool, len(t.dims))); err != nil {
		return mlir.Type{}, err
	}
	if groupSize < 1 {
		return mlir.Type{}, fmt.Errorf("stablehlo: %s: a group must have at least one device, not %d", op, groupSize)
	}
	d := &t.dims[dimension]
	if d.Size == mlir.Dynamic {
		*d = Dimension{Size: mlir.Dynamic}
	} else if d.Size, err = resize(d.Size); err != nil {
		return mlir.Type{}, err
	}
	return BoundedTensorType(t.c, t.element, t.dims...)
}

// DotGeneralType returns the result type of dot_general: the batching dimensions, then the
// remaining dimensions of lhs, then those of rhs. If element is nil, the result has the
// element type of lhs, which must not be quantized.
func DotGeneralType(lhs, rhs mlir.Type, d DotDimensionNumbers, element mlir.Type) (mlir.Type, error) {
	const op = "dot_general"
	l, r, element, err := factors(op, lhs, rhs, element)
	if err != nil {
		return mlir.Type{}, err
	}
	takenL, takenR := make([]bool, len(l.dims)), make([]bool, len(r.dims))
	var dims []Dimension
	for _, group := range []struct {
		what     string
		lhs, rhs []int64
	}{
		{"batching", d.LHSBatchingDimensions, d.RHSBatchingDimensions},
		{"contracting", d.LHSContractingDimensions, d.RHSContractingDimensions},
	} {
		if len(group.lhs) != len(group.rhs) {
			return mlir.Type{}, fmt.Errorf("stablehlo: %s: %d %s dimensions of lhs and %d of rhs do not match", op,
				len(group.lhs), group.what, len(group.rhs))
		}
		for i := range group.lhs {
			if err := take(op, group.what+" dimension of lhs", group.lhs[i], takenL); err != nil {
				return mlir.Type{}, err
			}
			if err := take(op, group.what+" dimension of rhs", group.rhs[i], takenR); err != nil {
				return mlir.Type{}, err
			}
			joint, ok := join(l.dims[group.lhs[i]], r.dims[group.rhs[i]])
			if !ok {
				return mlir.Type{}, fmt.Errorf("stablehlo: %s: the %s dimensions %d of %s and %d of %s differ in size",
					op, group.what, group.lhs[i], lhs, group.rhs[i], rhs)
			}
			if group.what == "batching" {
				dims = append(dims, joint)
			}
		}
	}
	dims = append(dims, remaining(l.dims, takenL)...)
	dims = append(dims, remaining(r.dims, takenR)...)
	return BoundedTensorType(l.c, element, dims...)
}

// DotType returns the result type of dot, which multiplies vectors and matrices. If element
// is nil, the result has the element type of lhs, which must not be quantized.
func DotType(lhs, rhs, element mlir.Type) (mlir.Type, error) {
	l, r, _, err := factors("dot", lhs, rhs, element)
	if err != nil {
		return mlir.Type{}, err
	}
	if len(l.dims) < 1 || len(l.dims) > 2 || len(r.dims) < 1 || len(r.dims) > 2 {
		return mlir.Type{},
			fmt.Errorf("stablehlo: dot: the operands must be vectors or matrices, not %s and %s", lhs, rhs)
	}
	return DotGeneralType(lhs, rhs, DotDimensionNumbers{
		LHSContractingDimensions: []int64{int64(len(l.dims) - 1)},
		RHSContractingDimensions: []int64{0},
	}, element)
}

// ConvolutionType returns the result type of o. It does not use o.ResultType. If element is
// nil, the result has the element type of the left operand, which must not be quantized.
func ConvolutionType(o ConvolutionOp, element mlir.Type) (mlir.Type, error) {
	const op = "convolution"
	if o.LHS.IsNil() || o.RHS.IsNil() {
		return mlir.Type{}, fmt.Errorf("stablehlo: %s: an operand is missing", op)
	}
	l, r, element, err := factors(op, o.LHS.Type(), o.RHS.Type(), element)
	if err != nil {
		return mlir.Type{}, err
	}
	d, rank := o.DimensionNumbers, len(l.dims)
	spatial := rank - 2
	if spatial < 0 || len(r.dims) != rank || len(d.InputSpatialDimensions) != spatial ||
		len(d.KernelSpatialDimensions) != spatial || len(d.OutputSpatialDimensions) != spatial {
		return mlir.Type{}, fmt.Errorf("stablehlo: %s: operands of %d and %d dimensions do not match %d, %d and %d spatial dimensions", op, rank, len(r.dims), len(d.InputSpatialDimensions), len(d.KernelSpatialDimensions), len(d.OutputSpatialDimensions))
	}
	if err := d.check(); err != nil {
		return mlir.Type{}, err
	}
	dims := make([]Dimension, rank)
	batch := l.dims[d.InputBatchDimension]
	if o.BatchGroupCount > 1 && batch.Size != mlir.Dynamic {
		if batch.Size%o.BatchGroupCount != 0 {
			return mlir.Type{}, fmt.Errorf("stablehlo: %s: a batch of %d is not divisible into %d groups", op,
				batch.Size, o.BatchGroupCount)
		}
		batch.Size /= o.BatchGroupCount
	} else if o.BatchGroupCount > 1 {
		batch = Dimension{Size: mlir.Dynamic}
	}
	dims[d.OutputBatchDimension] = batch
	dims[d.OutputFeatureDimension] = r.dims[d.KernelOutputFeatureDimension]
	for i := range spatial {
		w := window{
			size:   r.dims[d.KernelSpatialDimensions[i]].Size,
			stride: 1, baseDilation: 1, dilation: 1,
		}
		for _, list := range []struct {
			what   string
			values []int64
			to     *int64
		}{{"window strides", o.WindowStrides, &w.stride}, {"lhs dilation", o.LHSDilation, &w.baseDilation},
			{"rhs dilation", o.RHSDilation, &w.dilation}} {
			if list.values == nil {
				continue
			}
			if len(list.values) != spatial || list.values[i] < 1 {
				return mlir.Type{}, fmt.Errorf("stablehlo: %s: %s must have %d numbers above zero, but is %v", op,
					list.what, spatial, list.values)
			}
			*list.to = list.values[i]
		}
		if o.Padding != nil {
			if len(o.Padding) != spatial {
				return mlir.Type{},
					fmt.Errorf("stablehlo: %s: padding must have %d pairs, but has %d", op, spatial, len(o.Padding))
			}
			w.low, w.high = o.Padding[i][0], o.Padding[i][1]
		}
		dims[d.OutputSpatialDimensions[i]] = w.over(l.dims[d.InputSpatialDimensions[i]])
	}
	return BoundedTensorType(l.c, element, dims...)
}

// window is a window that slides along one dimension.
type window struct {
	size, stride, dilation, baseDilation, low, high int64
}

// over returns how often the window fits into base (StableHLO specification,
// reduce_window).
func (w window) over(base Dimension) Dimension {
	windows := func(size int64) int64 {
		padded := w.low + dilated(size, w.baseDilation) + w.high
		if need := dilated(w.size, w.dilation); padded > 0 && need <= padded {
			return (padded-need)/w.stride + 1
		}
		return 0
	}
	switch {
	case w.size == mlir.Dynamic || base.Size == mlir.Dynamic && base.Bound == 0:
		return Dimension{Size: mlir.Dynamic}
	case base.Size == mlir.Dynamic:
		return Dimension{Size: mlir.Dynamic, Bound: windows(base.Bound)}
	}
	return Dimension{Size: windows(base.Size)}
}

func dilated(size, dilation int64) int64 {
	if size == 0 {
		return 0
	}
	return (size-1)*dilation + 1
}

// tensorParts holds the parts of a ranked tensor type. The dimensions may be modified.
type tensorParts struct {
	c       *mlir.Context
	dims    []Dimension
	element mlir.Type
}

func tensorOf(op, what string, t mlir.Type) (tensorParts, error) {
	dims, ok := DimensionsOf(t)
	if !ok {
		name := "nothing"
		if !t.IsNil() {
			name = t.String()
		}
		return tensorParts{}, fmt.Errorf("stablehlo: %s: the %s must be a ranked tensor, not %s", op, what, name)
	}
	element, _ := t.Element()
	return tensorParts{t.Context(), dims, element}, nil
}

// factors returns the operands of a multiplication and the element type of the result.
func factors(op string, lhs, rhs, element mlir.Type) (l, r tensorParts, _ mlir.Type, err error) {
	if l, err = tensorOf(op, "left operand", lhs); err != nil {
		return l, r, element, err
	}
	if r, err = tensorOf(op, "right operand", rhs); err != nil {
		return l, r, element, err
	}
	if element.IsNil() {
		if element = l.element; element.Dialect() == "quant" {
			err = fmt.Errorf("stablehlo: %s: the result of the quantized %s has its own scale: set the element type",
				op, lhs)
		}
	}
	return l, r, element, err
}

const maxSize = 1<<63 - 1

// count returns the number of elements. It returns false if that is not known or too
// large.
func count(dims []Dimension) (int64, bool) {
	n := int64(1)
	for _, d := range dims {
		switch {
		case d.Size == 0:
			n = 0
		case d.Size < 0 || n > maxSize/d.Size:
			return 0, false
		default:
			n *= d.Size
		}
	}
	return n, true
}

// take marks dimension d as taken. It returns an error if d does not exist or is taken.
func take(op, what string, d int64, taken []bool) error {
	switch {
	case d < 0 || d >= int64(len(taken)):
		return fmt.Errorf("stablehlo: %s: there is no %s %d among %d dimensions", op, what, d, len(taken))
	case taken[d]:
		return fmt.Errorf("stablehlo: %s: the %s %d is given twice", op, what, d)
	}
	taken[d] = true
	return nil
}

// join merges a dimension that two operands share. If one of them is dynamic or has no
// bound, the result has the size or bound of the other.
func join(a, b Dimension) (Dimension, bool) {
	switch {
	case a.Size == mlir.Dynamic && b.Size == mlir.Dynamic:
		if a.Bound == 0 || b.Bound != 0 && b.Bound < a.Bound {
			return b, true
		}
		return a, true
	case a.Size == mlir.Dynamic:
		return b, true
	case b.Size == mlir.Dynamic:
		return a, true
	}
	return a, a.Size == b.Size
}

func remaining(dims []Dimension, taken []bool) (out []Dimension) {
	for i, d := range dims {
		if !taken[i] {
			out = append(out, d)
		}
	}
	return out
}

// bitsOf returns the number of bits of an element, or 0 if that is not known.
func bitsOf(element mlir.Type) int {
	if element.IsNil() {
		return 0
	}
	if bits, _, ok := element.IntegerWidth(); ok {
		return bits
	}
	if kind, ok := element.FloatKind(); ok {
		return kind.Bits()
	}
	if part, ok := element.ComplexElement(); ok {
		return 2 * bitsOf(part)
	}
	if q, ok := AsQuantized(element); ok {
		return q.Bits
	}
	return 0
}
