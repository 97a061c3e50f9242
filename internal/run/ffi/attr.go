package ffi

// #include "ffi_abi.h"
import "C"

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/contract"
)

// attributes returns the attributes of a call site as XLA delivers them.
func attributes(attrs *C.ffi_attrs) []contract.Attr {
	n := int(attrs.size)
	list := make([]contract.Attr, n)
	kinds := unsafe.Slice(attrs.kinds, n)
	names := unsafe.Slice(attrs.names, n)
	items := unsafe.Slice(attrs.items, n)
	for i := range list {
		list[i] = contract.Attr{Key: spanString(names[i]), Value: attribute(int32(kinds[i]), items[i])}
	}
	return list
}

func attribute(kind int32, item unsafe.Pointer) any {
	switch kind {
	case C.FFI_ATTR_STRING:
		return spanString((*C.ffi_span)(item))
	case C.FFI_ATTR_SCALAR:
		s := (*C.ffi_scalar)(item)
		return scalar(int32(s.dtype), s.value)
	case C.FFI_ATTR_ARRAY:
		a := (*C.ffi_array)(item)
		return array(int32(a.dtype), a.data, int(a.size))
	case C.FFI_ATTR_DICTIONARY:
		return attributes((*C.ffi_attrs)(item))
	}
	return nil
}

func spanString(s *C.ffi_span) string { return C.GoStringN(s.data, C.int(s.size)) }

// XLA's numbers for the element types that attributes may have, and of tokens.
const (
	xlaPred = 1
	xlaS8   = 2
	xlaS16  = 3
	xlaS32  = 4
	xlaS64  = 5
	xlaU8   = 6
	xlaU16  = 7
	xlaU32  = 8
	xlaU64  = 9
	xlaF32  = 11
	xlaF64  = 12
)

// TokenType is the element type of XLA's tokens among operands and results.
const TokenType = 17

func scalar(dtype int32, p unsafe.Pointer) any {
	switch dtype {
	case xlaPred:
		return *(*bool)(p)
	case xlaS8:
		return *(*int8)(p)
	case xlaS16:
		return *(*int16)(p)
	case xlaS32:
		return *(*int32)(p)
	case xlaS64:
		return *(*int64)(p)
	case xlaU8:
		return *(*uint8)(p)
	case xlaU16:
		return *(*uint16)(p)
	case xlaU32:
		return *(*uint32)(p)
	case xlaU64:
		return *(*uint64)(p)
	case xlaF32:
		return *(*float32)(p)
	case xlaF64:
		return *(*float64)(p)
	}
	return nil
}

func array(dtype int32, p unsafe.Pointer, n int) any {
	switch dtype {
	case xlaPred:
		return copyOf[bool](p, n)
	case xlaS8:
		return copyOf[int8](p, n)
	case xlaS16:
		return copyOf[int16](p, n)
	case xlaS32:
		return copyOf[int32](p, n)
	case xlaS64:
		return copyOf[int64](p, n)
	case xlaU8:
		return copyOf[uint8](p, n)
	case xlaU16:
		return copyOf[uint16](p, n)
	case xlaU32:
		return copyOf[uint32](p, n)
	case xlaU64:
		return copyOf[uint64](p, n)
	case xlaF32:
		return copyOf[float32](p, n)
	case xlaF64:
		return copyOf[float64](p, n)
	}
	return nil
}

func copyOf[T any](p unsafe.Pointer, n int) []T {
	return append([]T{}, unsafe.Slice((*T)(p), n)...)
}
