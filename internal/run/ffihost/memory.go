package ffihost

// #include <stdlib.h>
// #include "host.h"
import "C"

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/calliope-mlir/calliope/contract"
)

// A memory is memory of C for what a call consists of.
type memory struct{ list []unsafe.Pointer }

// bytes returns n zero bytes of C, at least one.
func (m *memory) bytes(n int) unsafe.Pointer {
	p := C.calloc(1, C.size_t(max(n, 1)))
	m.list = append(m.list, p)
	return p
}

func (m *memory) free() {
	for _, p := range m.list {
		C.free(p)
	}
	m.list = nil
}

// list returns n zero values in memory of C.
func list[T any](m *memory, n int) []T {
	var one T
	return unsafe.Slice((*T)(m.bytes(n*int(unsafe.Sizeof(one)))), n)
}

// attributes returns attributes, sorted by their names as XLA sorts them.
func (m *memory) attributes(attributes []contract.Attr) (*C.ffi_attrs, error) {
	n := len(attributes)
	kinds, items := list[C.int32_t](m, n), list[unsafe.Pointer](m, n)
	names := list[*C.ffi_span](m, n)
	for i, a := range attributes {
		names[i] = m.span(a.Key)
		var err error
		if kinds[i], items[i], err = m.attribute(a.Value); err != nil {
			return nil, fmt.Errorf("the attribute %s: %w", a.Key, err)
		}
	}
	made := &list[C.ffi_attrs](m, 1)[0]
	*made = C.ffi_attrs{struct_size: C.sizeof_ffi_attrs, size: C.int64_t(n), kinds: unsafe.SliceData(kinds),
		names: unsafe.SliceData(names), items: unsafe.SliceData(items)}
	return made, nil
}

func (m *memory) attribute(value any) (kind C.int32_t, item unsafe.Pointer, err error) {
	switch v := value.(type) {
	case string:
		return C.FFI_ATTR_STRING, unsafe.Pointer(m.span(v)), nil
	case []contract.Attr:
		made, err := m.attributes(v)
		return C.FFI_ATTR_DICTIONARY, unsafe.Pointer(made), err
	}
	v := reflect.ValueOf(value)
	if v.IsValid() && v.Kind() == reflect.Slice {
		if dtype, ok := numbers[v.Type().Elem().Kind()]; ok {
			made := &list[C.ffi_array](m, 1)[0]
			*made = C.ffi_array{dtype: dtype, size: C.size_t(v.Len()), data: m.copied(v)}
			return C.FFI_ATTR_ARRAY, unsafe.Pointer(made), nil
		}
	} else if v.IsValid() {
		if dtype, ok := numbers[v.Kind()]; ok {
			one := reflect.MakeSlice(reflect.SliceOf(v.Type()), 1, 1)
			one.Index(0).Set(v)
			made := &list[C.ffi_scalar](m, 1)[0]
			*made = C.ffi_scalar{dtype: dtype, value: m.copied(one)}
			return C.FFI_ATTR_SCALAR, unsafe.Pointer(made), nil
		}
	}
	return 0, nil, &Error{invalidArgument, fmt.Sprintf("a %T has no form in XLA's FFI", value)}
}

// numbers are those of XLA's element types for attributes.
var numbers = map[reflect.Kind]C.int32_t{
	reflect.Bool: 1, reflect.Int8: 2, reflect.Int16: 3, reflect.Int32: 4, reflect.Int64: 5, reflect.Uint8: 6,
	reflect.Uint16: 7, reflect.Uint32: 8, reflect.Uint64: 9, reflect.Float32: 11, reflect.Float64: 12,
}

// copied returns a copy of a slice of numbers.
func (m *memory) copied(v reflect.Value) unsafe.Pointer {
	size := v.Len() * int(v.Type().Elem().Size())
	p := m.bytes(size)
	copy(unsafe.Slice((*byte)(p), size), unsafe.Slice((*byte)(v.UnsafePointer()), size))
	return p
}

func (m *memory) span(s string) *C.ffi_span {
	data := list[byte](m, len(s)+1) // which C programs take as a string, too
	copy(data, s)
	made := &list[C.ffi_span](m, 1)[0]
	*made = C.ffi_span{data: (*C.char)(unsafe.Pointer(unsafe.SliceData(data))), size: C.size_t(len(s))}
	return made
}
