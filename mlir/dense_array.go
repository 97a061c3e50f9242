package mlir

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// DenseArrayElement is a constraint that permits the element types of dense array
// attributes.
type DenseArrayElement interface {
	bool | int8 | int16 | int32 | int64 | float32 | float64
}

// NewDenseArray returns array<i32: …>, or the dense array of T. The values are copied.
func NewDenseArray[T DenseArrayElement](c *Context, values ...T) Attribute {
	api := c.life.check("NewDenseArray")
	n := len(values)
	var raw capi.MlirAttribute
	switch v := any(values).(type) {
	case []bool:
		ints := make([]int32, n)
		for i, b := range v {
			ints[i] = cBool(b)
		}
		raw = capi.MlirDenseBoolArrayGet(api, c.raw, n, first(ints))
	case []int8:
		raw = capi.MlirDenseI8ArrayGet(api, c.raw, n, first(v))
	case []int16:
		raw = capi.MlirDenseI16ArrayGet(api, c.raw, n, first(v))
	case []int32:
		raw = capi.MlirDenseI32ArrayGet(api, c.raw, n, first(v))
	case []int64:
		raw = capi.MlirDenseI64ArrayGet(api, c.raw, n, first(v))
	case []float32:
		raw = capi.MlirDenseF32ArrayGet(api, c.raw, n, first(v))
	case []float64:
		raw = capi.MlirDenseF64ArrayGet(api, c.raw, n, first(v))
	}
	return c.attribute(raw)
}

// DenseArrayOf returns a copy of the values of a dense array attribute, and whether a is
// one with elements of type T.
func DenseArrayOf[T DenseArrayElement](a Attribute) ([]T, bool) {
	api := a.check("DenseArrayOf")
	var zero T
	switch any(zero).(type) {
	case bool:
		return readArray[T](api, a, capi.MlirAttributeIsADenseBoolArray, capi.MlirDenseBoolArrayGetElement)
	case int8:
		return readArray[T](api, a, capi.MlirAttributeIsADenseI8Array, capi.MlirDenseI8ArrayGetElement)
	case int16:
		return readArray[T](api, a, capi.MlirAttributeIsADenseI16Array, capi.MlirDenseI16ArrayGetElement)
	case int32:
		return readArray[T](api, a, capi.MlirAttributeIsADenseI32Array, capi.MlirDenseI32ArrayGetElement)
	case int64:
		return readArray[T](api, a, capi.MlirAttributeIsADenseI64Array, capi.MlirDenseI64ArrayGetElement)
	case float32:
		return readArray[T](api, a, capi.MlirAttributeIsADenseF32Array, capi.MlirDenseF32ArrayGetElement)
	}
	return readArray[T](api, a, capi.MlirAttributeIsADenseF64Array, capi.MlirDenseF64ArrayGetElement)
}

// readArray reads elements whose C type is C, in the representation of T.
func readArray[T, C DenseArrayElement](api *capi.Table, a Attribute, is func(*capi.Table, capi.MlirAttribute) bool,
	at func(*capi.Table, capi.MlirAttribute, int) C) ([]T, bool) {
	if !is(api, a.raw) {
		return nil, false
	}
	out := make([]T, capi.MlirDenseArrayGetNumElements(api, a.raw))
	for i := range out {
		v := at(api, a.raw, i)
		out[i] = *(*T)(unsafe.Pointer(&v))
	}
	return out, true
}

// isDenseArray reports whether a is a dense array, also if no Go type has its elements.
func isDenseArray(api *capi.Table, a capi.MlirAttribute) bool {
	return capi.MlirTypeIDEqual(api, capi.MlirAttributeGetTypeID(api, a), capi.MlirDenseArrayAttrGetTypeID(api))
}

// Int64ArrayAttribute returns array<i64: …>.
func (c *Context) Int64ArrayAttribute(values ...int64) Attribute {
	return NewDenseArray(c, values...)
}

// Int64s returns the values of array<i64: …>, and whether a is one.
func (a Attribute) Int64s() ([]int64, bool) { return DenseArrayOf[int64](a) }
