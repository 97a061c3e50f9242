package mlir

import (
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// DenseElement is what dense elements can be read and made as. Each stands for the
// element types whose bits it holds:
//
//	bool                  i1
//	int8, uint8           i2 to i8
//	int16, int32, int64   i16, i32, i64, and likewise without sign
//	int64, uint64         index
//	float32, float64      f32, f64
//	complex64, complex128 complex<f32>, complex<f64>
//	uint8, uint16         the bits of f4…, f6…, f8…; of f16 and bf16
//	string                opaque types and those of other dialects
type DenseElement interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | complex64 | complex128 | string
}

// layout is how elements of a type lie in memory.
type layout struct {
	bytes int // of one element
	bits  int // of an integer, of a float or of one part of a complex number
	kind  TypeKind
	s     Signedness // of an integer
	float FloatKind
}

// elementLayout is the layout of elements that have one. Only they have raw bytes: for
// any other type the library reads wild memory.
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

// denseType checks what every dense attribute needs of its type: a tensor or vector
// whose shape is known.
func (c *Context) denseType(t Type, method string) (raw capi.MlirType, elem Type, n int64, err error) {
	c.life.check(method)
	raw = t.in(c, method)
	if kind := t.Kind(); kind != KindRankedTensor && kind != KindVector {
		return raw, elem, 0, fmt.Errorf("mlir: dense elements have a tensor or vector type, not %s", t)
	}
	n, ok := t.NumElements()
	if !ok {
		return raw, elem, 0, fmt.Errorf("mlir: dense elements need a shape that is fully known, not %s", t)
	}
	elem, _ = t.Element()
	return raw, elem, n, nil
}

// DenseAttribute is dense<…> : t, whose elements are given as bytes in the host's
// order, one after the other, each in as many bytes as its bits need. Booleans (i1)
// take one byte each, 0 or 1. The bytes are copied. NewDense takes values instead.
func (c *Context) DenseAttribute(t Type, data []byte) (Attribute, error) {
	_, elem, n, err := c.denseType(t, "Context.DenseAttribute")
	if err != nil {
		return Attribute{}, err
	}
	l, ok := elementLayout(elem)
	if !ok {
		return Attribute{}, fmt.Errorf("mlir: elements of type %s have no bytes", elem)
	}
	if !sizeIs(len(data), n, l.bytes) {
		return Attribute{}, fmt.Errorf("mlir: %d bytes do not make a dense attribute of type %s: each of its %d elements takes %d",
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

// sizeIs reports whether size is n elements of so many bytes each.
func sizeIs(size int, n int64, bytes int) bool {
	return size%bytes == 0 && int64(size/bytes) == n
}

// rawDense makes dense elements of bytes, one element or all. Bits of a partly used
// byte must be clear: the library compares and hashes whole bytes.
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
		return Attribute{}, fmt.Errorf("mlir: %d bytes do not make a dense attribute of type %s", len(data), t)
	}
	if t.IsScalable() && !capi.MlirDenseElementsAttrIsSplat(c.api, raw) {
		return Attribute{}, fmt.Errorf("mlir: how many elements %s has is not known: only a splat can fill it", t)
	}
	return c.attribute(raw), nil
}

// Indices are the values of a dense attribute of index elements, as layouts have
// them; nil for any other attribute.
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
		return nil // far too many for a layout
	}
	return values
}
