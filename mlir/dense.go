package mlir

import (
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// DenseElement is a constraint that permits the Go types of dense elements. Each is used for
// the MLIR types whose bits it holds:
//
//	bool                  i1
//	int8, uint8           i2 to i8
//	int16, int32, int64   i16, i32, i64; likewise uint16, uint32, uint64
//	int64, uint64         index
//	float32, float64      f32, f64
//	complex64, complex128 complex<f32>, complex<f64>
//	uint8, uint16         the bits of f4…, f6…, f8…; of f16 and bf16
//	string                opaque types and types of other dialects
type DenseElement interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | complex64 | complex128 | string
}

// layout is the memory layout of elements of a type.
type layout struct {
	bytes int // of one element
	bits  int // of an integer, of a float or of one part of a complex number
	kind  TypeKind
	s     Signedness // of an integer
	float FloatKind
}

// elementLayout returns the layout of elements that have one. The library reads invalid
// memory if asked for the raw bytes of other elements.
func elementLayout(t Type) (layout, bool) {
	l := layout{kind: t.Kind()}
	parts := 1
	if l.kind == KindComplex {
		t, _ = t.ComplexElement()
		parts = 2
	}
	if bits, s, ok := t.IntegerWidth(); ok {
		l.bits, l.s = bits, s
	} else if f, ok := t.FloatKind(); ok {
		l.bits, l.float = f.Bits(), f
	} else if l.kind == KindIndex {
		l.bits = 64
	}
	l.bytes = parts * ((l.bits + 7) / 8)
	return l, l.bits > 0
}

// fits reports whether T holds the bits of one element.
func fits[T DenseElement](l layout, hasLayout bool) bool {
	var zero T
	size := int(unsafe.Sizeof(zero))
	switch any(zero).(type) {
	case string:
		return l.kind == KindOpaque || l.kind == KindOther
	case bool:
		return hasLayout && l.kind == KindInteger && l.bits == 1
	case float32, float64:
		return hasLayout && l.kind == KindFloat && (l.float == F32 || l.float == F64) && l.bytes == size
	case complex64, complex128:
		return hasLayout && l.kind == KindComplex && (l.float == F32 || l.float == F64) && l.bytes == size
	case uint8, uint16:
		if l.kind == KindFloat {
			return l.bytes == size
		}
	}
	switch l.kind {
	case KindInteger:
		return hasLayout && l.bits > 1 && l.bytes == size && (l.bits == 8*size || l.bits < 8)
	case KindIndex:
		return size == 8
	}
	return false
}

// denseType checks the requirements on the type of every dense attribute: a tensor or
// vector with a static shape.
func (c *Context) denseType(t Type, method string) (raw capi.MlirType, elem Type, n int64, err error) {
	c.life.check(method)
	raw = t.in(c, method)
	if kind := t.Kind(); kind != KindRankedTensor && kind != KindVector {
		return raw, elem, 0, fmt.Errorf("mlir: dense elements must have a tensor or vector type, not %s", t)
	}
	n, ok := t.NumElements()
	if !ok {
		return raw, elem, 0, fmt.Errorf("mlir: dense elements must have a static shape, not %s", t)
	}
	elem, _ = t.Element()
	return raw, elem, n, nil
}

// DenseAttribute returns dense<…> : t. data holds the elements one after the other in the
// host's byte order, each in as many bytes as its bits need. A boolean (i1) takes one
// byte, 0 or 1. The bytes are copied. NewDense takes values instead.
func (c *Context) DenseAttribute(t Type, data []byte) (Attribute, error) {
	_, elem, n, err := c.denseType(t, "Context.DenseAttribute")
	if err != nil {
		return Attribute{}, err
	}
	l, ok := elementLayout(elem)
	if !ok {
		return Attribute{}, fmt.Errorf("mlir: elements of type %s have no byte representation", elem)
	}
	if !sizeIs(len(data), n, l.bytes) {
		return Attribute{}, fmt.Errorf("mlir: %d bytes cannot fill %s: each of its %d elements takes %d",
			len(data), t, n, l.bytes)
	}
	if l.kind == KindInteger && l.bits == 1 {
		values := make([]bool, len(data))
		for i, b := range data {
			values[i] = b != 0
		}
		return NewDense(t, values)
	}
	return c.rawDense(t, data, l)
}

// sizeIs reports whether size is n elements of the given number of bytes.
func sizeIs(size int, n int64, bytes int) bool {
	return size%bytes == 0 && int64(size/bytes) == n
}

// rawDense creates dense elements from the bytes of one element or all. The unused bits of
// a byte must be clear: the library compares and hashes whole bytes.
func (c *Context) rawDense(t Type, data []byte, l layout) (Attribute, error) {
	if l.kind != KindIndex && l.bits%8 != 0 {
		step := l.bytes
		if l.kind == KindComplex {
			step /= 2
		}
		clean := append([]byte(nil), data...)
		for i := step - 1; i < len(clean); i += step {
			clean[i] &= 1<<(l.bits%8) - 1
		}
		data = clean
	}
	if len(data) == 0 {
		data = []byte{0}[:0:1] // the library takes the address
	}
	raw := capi.MlirDenseElementsAttrRawBufferGet(c.api, t.raw, len(data), pointer(&data[:1][0]))
	if raw.Ptr == nil {
		return Attribute{}, fmt.Errorf("mlir: %d bytes cannot fill %s", len(data), t)
	}
	if t.IsScalable() && !capi.MlirDenseElementsAttrIsSplat(c.api, raw) {
		return Attribute{}, fmt.Errorf("mlir: the number of elements of %s is unknown: only a splat can fill it", t)
	}
	return c.attribute(raw), nil
}

// Indices returns the values of a dense attribute of index elements, as in layouts. It
// returns nil for any other attribute.
func (a Attribute) Indices() []int64 {
	a.check("Attribute.Indices")
	t, ok := a.Type()
	if !ok || a.Kind() != AttrDenseElements {
		return nil
	}
	if elem, _ := t.Element(); !elem.IsIndex() {
		return nil
	}
	d, err := DenseOf[int64](a)
	if err != nil {
		return nil
	}
	values, err := d.Values()
	if err != nil {
		return nil // too many for a layout
	}
	return values
}
