package mlir

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// NewDense returns dense<values…> : t, in row-major order. T must hold the bits of t's
// elements (see DenseElement), and len(values) must be the number of t's elements. The
// values are copied once, into the context. A [Builder] keeps the error with CheckedAttribute;
// arith.ConstantDense makes a constant of the values.
func NewDense[T DenseElement](t Type, values []T) (Attribute, error) {
	t.check("NewDense")
	c := t.life.ctx
	_, elem, n, err := c.denseType(t, "NewDense")
	if err != nil {
		return Attribute{}, err
	}
	if int64(len(values)) != n {
		return Attribute{}, fmt.Errorf("mlir: %d values cannot fill %s, which has %d elements", len(values), t, n)
	}
	return newDense(c, t, elem, values)
}

// NewDenseSplat returns dense<value> : t, with the same value for all elements.
func NewDenseSplat[T DenseElement](t Type, value T) (Attribute, error) {
	t.check("NewDenseSplat")
	c := t.life.ctx
	_, elem, n, err := c.denseType(t, "NewDenseSplat")
	if err != nil {
		return Attribute{}, err
	}
	return newDense(c, t, elem, []T{value}[:min(n, 1)])
}

// newDense creates dense elements from one value or from all.
func newDense[T DenseElement](c *Context, t, elem Type, values []T) (Attribute, error) {
	l, hasLayout := elementLayout(elem)
	if !fits[T](l, hasLayout) {
		return Attribute{}, fmt.Errorf("mlir: %T does not hold an element of %s", *new(T), t)
	}
	switch v := any(values).(type) {
	case []bool:
		return c.boolDense(t, v)
	case []string:
		return c.stringDense(t, v)
	case []int8:
		for _, x := range v {
			if l.bits < 8 && !fitsInteger(int64(x), l.bits, l.s) {
				return Attribute{}, fmt.Errorf("mlir: %d does not fit in %s", x, elem)
			}
		}
	case []uint8:
		for _, x := range v {
			if l.bits < 8 && (int(x)>>l.bits != 0 || l.s == Signed && int(x)>>(l.bits-1) != 0) {
				return Attribute{}, fmt.Errorf("mlir: %d does not fit in %s", x, elem)
			}
		}
	}
	size := int(unsafe.Sizeof(*new(T)))
	return c.rawDense(t, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*size), l)
}

// boolDense uses its own C function, because the library decides how to pack booleans.
func (c *Context) boolDense(t Type, values []bool) (Attribute, error) {
	n, _ := t.NumElements()
	ints := make([]int32, len(values))
	same := true
	for i, b := range values {
		ints[i] = cBool(b)
		same = same && b == values[0]
	}
	if len(values) > 0 && same { // also one value for many elements
		return c.attribute(capi.MlirDenseElementsAttrBoolSplatGet(c.api, t.raw, values[0])), nil
	}
	if t.IsScalable() && n > 0 {
		return Attribute{}, fmt.Errorf("mlir: the number of elements of %s is unknown: only a splat can fill it", t)
	}
	return c.attribute(capi.MlirDenseElementsAttrBoolGet(c.api, t.raw, len(ints), first(ints))), nil
}

func (c *Context) stringDense(t Type, values []string) (Attribute, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	raw := make([]capi.MlirStringRef, len(values))
	for i, s := range values {
		if s != "" {
			pins.Pin(unsafe.StringData(s))
			raw[i] = capi.MlirStringRef{Data: pointer(unsafe.StringData(s)), Length: len(s)}
		}
	}
	return c.attribute(capi.MlirDenseElementsAttrStringGet(c.api, t.raw, len(raw), first(raw))), nil
}

// DenseFromAttributes returns dense<…> : t, with one attribute for each element, or one
// for all of them. They are integer, float or string attributes of t's element type. It
// creates elements that no Go type has: FloatAttribute rounds to f8 and bf16,
// BigIntegerAttribute makes wide integers.
func (c *Context) DenseFromAttributes(t Type, elements ...Attribute) (Attribute, error) {
	raw, elem, n, err := c.denseType(t, "Context.DenseFromAttributes")
	if err != nil {
		return Attribute{}, err
	}
	if int64(len(elements)) != n && len(elements) != 1 {
		return Attribute{}, fmt.Errorf("mlir: %d attributes cannot fill %s, which has %d elements", len(elements), t, n)
	}
	if _, ok := elementLayout(elem); !ok || elem.Kind() == KindComplex {
		return Attribute{}, fmt.Errorf("mlir: cannot create elements of type %s from attributes: use NewDense", elem)
	}
	if t.IsScalable() && len(elements) != 1 {
		return Attribute{}, fmt.Errorf("mlir: the number of elements of %s is unknown: only a splat can fill it", t)
	}
	list := make([]capi.MlirAttribute, len(elements))
	for i, e := range elements {
		list[i] = e.in(c, "Context.DenseFromAttributes")
		typ, _ := e.Type()
		if kind := e.Kind(); kind != AttrBool && kind != AttrInteger && kind != AttrFloat || !typ.Equal(elem) {
			return Attribute{}, fmt.Errorf("mlir: %s is not an element of %s", e, t)
		}
	}
	if n == 0 {
		list = nil
	}
	return c.attribute(capi.MlirDenseElementsAttrGet(c.api, raw, len(list), first(list))), nil
}

// Reshape returns the same elements with type t, which must have the same element type and
// number of elements. It returns an error if a is not dense elements.
func (a Attribute) Reshape(t Type) (Attribute, error) {
	api := a.check("Attribute.Reshape")
	c := a.life.ctx
	raw, elem, n, err := c.denseType(t, "Attribute.Reshape")
	if err != nil {
		return Attribute{}, err
	}
	if a.Kind() != AttrDenseElements {
		return Attribute{},
			fmt.Errorf("mlir: cannot reshape the %s attribute %s: it is not dense elements", a.Kind(), a)
	}
	was, _ := a.Type()
	have, _ := was.NumElements()
	if of, _ := was.Element(); !of.Equal(elem) || have != n {
		return Attribute{}, fmt.Errorf("mlir: cannot reshape %s to %s: the element types or counts differ", was, t)
	}
	if t.IsScalable() && !capi.MlirDenseElementsAttrIsSplat(api, a.raw) {
		return Attribute{}, fmt.Errorf("mlir: the number of elements of %s is unknown: only a splat can fill it", t)
	}
	return c.attribute(capi.MlirDenseElementsAttrReshapeGet(api, a.raw, raw)), nil
}
