package mlir

import (
	"fmt"
	"iter"
	"math"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// DenseElements reads the elements of a dense elements attribute in the context's memory,
// without a copy. It is a handle like the attribute: using it after the context is closed
// panics.
type DenseElements[T DenseElement] struct {
	a     Attribute
	data  []T // one element for a splat; empty if get is set
	n     int
	splat bool
	get   func(api *capi.Table, a capi.MlirAttribute, i int) T
	bits  int // if not zero, the bits of a signed number that is narrower than T
}

// DenseOf returns a reader of the elements of a dense elements attribute, in row-major
// order. It returns an error if a is not such an attribute, or if T does not hold the bits
// of its elements (see DenseElement). It reads elements in a resource from a copy, as
// ResourceBytes returns it.
func DenseOf[T DenseElement](a Attribute) (DenseElements[T], error) {
	api := a.check("DenseOf")
	none := DenseElements[T]{}
	kind := a.Kind()
	if kind != AttrDenseElements && kind != AttrResource {
		return none, fmt.Errorf("mlir: a %s attribute is not dense elements", kind)
	}
	t, _ := a.Type()
	n, ok := t.NumElements()
	elem, _ := t.Element()
	l, hasLayout := elementLayout(elem)
	if !ok || int64(int(n)) != n {
		return none, fmt.Errorf("mlir: %s has too many elements to read", t)
	}
	if !fits[T](l, hasLayout) {
		return none, fmt.Errorf("mlir: %T does not hold an element of %s", *new(T), t)
	}
	if !hasLayout && (kind == AttrResource || !isStringElements(api, a.raw)) {
		return none, fmt.Errorf("mlir: no Go type represents the elements of %s", t)
	}
	d := DenseElements[T]{a: a, n: int(n)}
	if _, _, isInteger := elem.IntegerWidth(); isInteger && l.bits < 8 && isSignedByte[T]() {
		d.bits = l.bits
	}
	if kind == AttrResource {
		data, err := a.ResourceBytes()
		if err != nil {
			return none, err
		}
		d.data = make([]T, n)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d.data))), len(data)), data)
		return d, nil
	}
	d.splat = n > 0 && capi.MlirDenseElementsAttrIsSplat(api, a.raw)
	switch any(*new(T)).(type) {
	case bool: // the library decides how to pack booleans
		d.get = asGetter[T](capi.MlirDenseElementsAttrGetBoolValue)
	case string:
		d.get = asGetter[T](capi.MlirDenseElementsAttrGetStringValue)
	default:
		if n > 0 {
			stored := d.n
			if d.splat {
				stored = 1
			}
			d.data = unsafe.Slice((*T)(capi.MlirDenseElementsAttrGetRawData(api, a.raw)), stored)
		}
	}
	return d, nil
}

// isStringElements reports whether dense elements are strings rather than bits.
func isStringElements(api *capi.Table, a capi.MlirAttribute) bool {
	return !capi.MlirTypeIDEqual(api, capi.MlirAttributeGetTypeID(api, a),
		capi.MlirDenseIntOrFPElementsAttrGetTypeID(api))
}

func isSignedByte[T DenseElement]() bool {
	_, ok := any(*new(T)).(int8)
	return ok
}

// asGetter converts a C function that returns a C, which is identical to T.
func asGetter[T, C DenseElement](
	get func(*capi.Table, capi.MlirAttribute, int) C,
) func(*capi.Table, capi.MlirAttribute, int) T {
	return func(api *capi.Table, a capi.MlirAttribute, i int) T { return any(get(api, a, i)).(T) }
}

// Len returns the number of elements, also for a splat.
func (d DenseElements[T]) Len() int {
	d.a.check("DenseElements.Len")
	return d.n
}

// At returns the i-th element in row-major order. It panics if i is out of range.
func (d DenseElements[T]) At(i int) T {
	api := d.a.check("DenseElements.At")
	inRange("DenseElements.At", i, d.n)
	return d.at(api, i)
}

func (d DenseElements[T]) at(api *capi.Table, i int) T {
	if d.get != nil {
		return d.get(api, d.a.raw, i)
	}
	if d.splat {
		i = 0
	}
	v := d.data[i]
	if d.bits > 0 { // sign-extend the stored byte
		*(*int8)(unsafe.Pointer(&v)) = *(*int8)(unsafe.Pointer(&v)) << (8 - d.bits) >> (8 - d.bits)
	}
	return v
}

// All returns an iterator over the elements in row-major order.
func (d DenseElements[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range d.n {
			if !yield(i, d.at(d.a.check("DenseElements.All"), i)) {
				return
			}
		}
	}
}

// Splat returns the value of all elements, and whether the attribute is stored as a single
// value.
func (d DenseElements[T]) Splat() (T, bool) {
	api := d.a.check("DenseElements.Splat")
	if !d.splat {
		return *new(T), false
	}
	return d.at(api, 0), true
}

// Values returns a copy of the elements in row-major order. It returns an error if they
// are a splat that would take more than ContextOptions.MaxSplatBytes.
func (d DenseElements[T]) Values() ([]T, error) {
	api := d.a.check("DenseElements.Values")
	if d.splat {
		if err := d.a.expands(int64(d.n), int(unsafe.Sizeof(*new(T)))); err != nil {
			return nil, err
		}
	}
	out := make([]T, d.n)
	if d.get == nil && !d.splat && d.bits == 0 {
		copy(out, d.data)
		return out, nil
	}
	for i := range out {
		out[i] = d.at(api, i)
	}
	return out, nil
}

// defaultMaxSplat is used if ContextOptions.MaxSplatBytes is zero.
const defaultMaxSplat = 1 << 30

func (o ContextOptions) maxSplat() int64 {
	switch {
	case o.MaxSplatBytes < 0:
		return math.MaxInt
	case o.MaxSplatBytes == 0:
		return defaultMaxSplat
	}
	return o.MaxSplatBytes
}

// expands returns an error if a splat of n elements is too large to expand.
func (a Attribute) expands(n int64, bytes int) error {
	if limit := a.life.ctx.maxSplat; n > limit/int64(bytes) {
		t, _ := a.Type()
		return fmt.Errorf("mlir: the %d elements of a splat of type %s take more than %d bytes when expanded: "+
			"read its value with DenseElements.Splat, or set ContextOptions.MaxSplatBytes", n, t, limit)
	}
	return nil
}

// DenseBytes returns a copy of the elements of a dense elements attribute, in the format
// of DenseAttribute. It returns an error for any other attribute, for strings, and for a
// splat that would take more than ContextOptions.MaxSplatBytes.
func (a Attribute) DenseBytes() ([]byte, error) {
	api := a.check("Attribute.DenseBytes")
	if kind := a.Kind(); kind != AttrDenseElements {
		return nil, fmt.Errorf("mlir: a %s attribute is not dense elements", kind)
	}
	t, _ := a.Type()
	n, ok := t.NumElements()
	elem, _ := t.Element()
	l, hasLayout := elementLayout(elem)
	if !ok || !hasLayout || n > int64(maxBytes/l.bytes) {
		return nil, fmt.Errorf("mlir: the elements of %s have no byte representation", t)
	}
	splat := capi.MlirDenseElementsAttrIsSplat(api, a.raw)
	if splat {
		if err := a.expands(n, l.bytes); err != nil {
			return nil, err
		}
	}
	out := make([]byte, n*int64(l.bytes))
	if n == 0 {
		return out, nil
	}
	if l.kind == KindInteger && l.bits == 1 {
		for i := range out {
			out[i] = byte(cBool(capi.MlirDenseElementsAttrGetBoolValue(api, a.raw, i)))
		}
		return out, nil
	}
	stored := len(out)
	if splat {
		stored = l.bytes
	}
	data := unsafe.Slice((*byte)(capi.MlirDenseElementsAttrGetRawData(api, a.raw)), stored)
	for at := 0; at < len(out); at += stored {
		copy(out[at:], data)
	}
	return out, nil
}

// maxBytes is the maximum length of a byte slice.
const maxBytes = int(^uint(0) >> 1)

// IsSplat reports whether a is a dense elements attribute that is stored as a single
// value.
func (a Attribute) IsSplat() bool {
	api := a.check("Attribute.IsSplat")
	return capi.MlirAttributeIsADenseElements(api, a.raw) && capi.MlirDenseElementsAttrIsSplat(api, a.raw)
}

// ElementAt returns one element of a dense or sparse elements attribute of any type, as an
// attribute. It takes one index for each dimension. It returns false for any other
// attribute and if an index is out of range.
func (a Attribute) ElementAt(index ...int64) (Attribute, bool) {
	api := a.check("Attribute.ElementAt")
	kind := a.Kind()
	if kind != AttrDenseElements && kind != AttrSparseElements {
		return Attribute{}, false
	}
	t, _ := a.Type()
	dims, _ := t.Dims()
	elem, _ := t.Element()
	_, hasLayout := elementLayout(elem)
	if len(index) != len(dims) || kind == AttrSparseElements && !hasLayout {
		return Attribute{}, false
	}
	at := make([]uint64, len(index), len(index)+1) // the library takes an address also for rank 0
	for i, x := range index {
		if x < 0 || x >= dims[i] {
			return Attribute{}, false
		}
		at[i] = uint64(x)
	}
	raw := capi.MlirElementsAttrGetValue(api, a.raw, len(at), &at[:1][0])
	return Attribute{a.life, raw}, raw.Ptr != nil
}
