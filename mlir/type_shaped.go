package mlir

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Dynamic is a dimension, stride or offset that is not known at compile time.
const Dynamic = math.MinInt64

// TensorType returns a ranked tensor type with the given element type and dimensions.
// Unknown dimensions are Dynamic.
func (c *Context) TensorType(elem Type, dims ...int64) (Type, error) {
	t := c.life.check("Context.TensorType")
	return c.tensorType("Context.TensorType", elem, capi.MlirAttributeGetNull(t), dims)
}

// EncodedTensorType returns a ranked tensor type with an encoding. The encoding is an
// attribute that a dialect interprets, for example as a sparse layout.
func (c *Context) EncodedTensorType(elem Type, encoding Attribute, dims ...int64) (Type, error) {
	c.life.check("Context.EncodedTensorType")
	return c.tensorType("Context.EncodedTensorType", elem, encoding.in(c, "Context.EncodedTensorType"), dims)
}

func (c *Context) tensorType(method string, elem Type, encoding capi.MlirAttribute, dims []int64) (Type, error) {
	raw := elem.in(c, method)
	if err := checkDims("a tensor", dims); err != nil {
		return Type{}, err
	}
	return c.checkedType(capi.MlirRankedTensorTypeGetChecked(c.api, c.unknown(), len(dims), first(dims), raw, encoding),
		"a tensor type")
}

// UnrankedTensorType returns tensor<*xelem>.
func (c *Context) UnrankedTensorType(elem Type) (Type, error) {
	t := c.life.check("Context.UnrankedTensorType")
	raw := elem.in(c, "Context.UnrankedTensorType")
	return c.checkedType(capi.MlirUnrankedTensorTypeGetChecked(t, c.unknown(), raw), "an unranked tensor type")
}

// VectorType returns a vector type with the given dimensions, all of them above zero.
func (c *Context) VectorType(elem Type, dims ...int64) (Type, error) {
	t := c.life.check("Context.VectorType")
	raw := elem.in(c, "Context.VectorType")
	return c.checkedType(capi.MlirVectorTypeGetChecked(t, c.unknown(), len(dims), first(dims), raw), "a vector type")
}

// ScalableVectorType returns a vector type such as vector<2x[4]xf32>. Dimensions for which
// scalable is true are multiples of the given size; the hardware determines the factor.
func (c *Context) ScalableVectorType(elem Type, dims []int64, scalable []bool) (Type, error) {
	t := c.life.check("Context.ScalableVectorType")
	raw := elem.in(c, "Context.ScalableVectorType")
	if len(dims) != len(scalable) {
		return Type{}, fmt.Errorf("mlir: a vector type of %d dimensions needs as many scalable flags, not %d",
			len(dims), len(scalable))
	}
	return c.checkedType(
		capi.MlirVectorTypeGetScalableChecked(t, c.unknown(), len(dims), first(dims), first(scalable), raw),
		"a scalable vector type")
}

func checkDims(what string, dims []int64) error {
	for _, d := range dims {
		if d < 0 && d != Dynamic {
			return fmt.Errorf("mlir: %s cannot have the dimensions %v: use mlir.Dynamic for an unknown one", what, dims)
		}
	}
	return nil
}

// IsRankedTensor reports whether t is a ranked tensor type.
func (t Type) IsRankedTensor() bool {
	return capi.MlirTypeIsARankedTensor(t.check("Type.IsRankedTensor"), t.raw)
}

// IsShaped reports whether t is a tensor, memref or vector type, ranked or not.
func (t Type) IsShaped() bool { return capi.MlirTypeIsAShaped(t.check("Type.IsShaped"), t.raw) }

// Rank returns the number of dimensions of a ranked tensor, memref or vector type, and
// whether t is one.
func (t Type) Rank() (int, bool) {
	n := capi.Shape(t.check("Type.Rank"), t.raw, nil)
	return max(n, 0), n >= 0
}

// Dims returns the dimensions of a ranked tensor, memref or vector type, and whether t is
// one. Unknown dimensions are Dynamic.
func (t Type) Dims() ([]int64, bool) {
	api := t.check("Type.Dims")
	dims := make([]int64, usualRank)
	n := capi.Shape(api, t.raw, dims)
	switch {
	case n < 0:
		return nil, false
	case n > usualRank:
		dims = make([]int64, n)
		capi.Shape(api, t.raw, dims)
	}
	return dims[:n:n], true
}

// usualRank is a rank that few types exceed.
const usualRank = 6

// NumElements returns the number of elements of a shaped type. It returns false for any
// other type, if a dimension is unknown, and if the number does not fit in 63 bits.
// Scalable dimensions count with the given size.
func (t Type) NumElements() (int64, bool) {
	dims, ok := t.Dims()
	n, over := uint64(1), false
	for _, d := range dims {
		switch d {
		case Dynamic:
			return 0, false
		case 0: // for any other dimensions
			return 0, ok && !hasDynamic(dims)
		}
		hi, lo := bits.Mul64(n, uint64(d))
		over = over || hi != 0 || lo > math.MaxInt64
		n = lo
	}
	return int64(n), ok && !over
}

func hasDynamic(dims []int64) bool {
	for _, d := range dims {
		if d == Dynamic {
			return true
		}
	}
	return false
}

// Element returns the element type of a tensor, memref or vector type, and whether t is
// one.
func (t Type) Element() (Type, bool) {
	api := t.check("Type.Element")
	if !capi.MlirTypeIsAShaped(api, t.raw) {
		return Type{}, false
	}
	return Type{t.life, capi.MlirShapedTypeGetElementType(api, t.raw)}, true
}

// Encoding returns the encoding of a ranked tensor type, and whether it has one.
func (t Type) Encoding() (Attribute, bool) {
	api := t.check("Type.Encoding")
	if !capi.MlirTypeIsARankedTensor(api, t.raw) {
		return Attribute{}, false
	}
	raw := capi.MlirRankedTensorTypeGetEncoding(api, t.raw)
	return Attribute{t.life, raw}, raw.Ptr != nil
}

// ScalableDims returns which dimensions of a vector type are scalable, and whether t is a
// vector type.
func (t Type) ScalableDims() ([]bool, bool) {
	api := t.check("Type.ScalableDims")
	if !capi.MlirTypeIsAVector(api, t.raw) {
		return nil, false
	}
	scalable := make([]bool, capi.MlirShapedTypeGetRank(api, t.raw))
	for i := range scalable {
		scalable[i] = capi.MlirVectorTypeIsDimScalable(api, t.raw, i)
	}
	return scalable, true
}

// IsScalable reports whether t is a vector type with a scalable dimension.
func (t Type) IsScalable() bool {
	api := t.check("Type.IsScalable")
	return capi.MlirTypeIsAVector(api, t.raw) && capi.MlirVectorTypeIsScalable(api, t.raw)
}
