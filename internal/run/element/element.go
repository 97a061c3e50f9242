// Package element has the element types of XLA: their numbers, and how XLA packs those of less than a byte.
package element

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/tensor"
)

// A Type is an element type as in a call frame.
type Type struct {
	DType tensor.DType
	Size  uint8 // bytes in a host array
	Bits  uint8 // in XLA's memory if it is packed, else 0
}

// DTypes are the element types by their number in XLA's PrimitiveType (xla/xla_data.proto), which call
// frames have too.
var DTypes = [34]tensor.DType{
	1: tensor.Pred, 2: tensor.S8, 3: tensor.S16, 4: tensor.S32, 5: tensor.S64,
	6: tensor.U8, 7: tensor.U16, 8: tensor.U32, 9: tensor.U64,
	10: tensor.F16, 11: tensor.F32, 12: tensor.F64, 15: tensor.C64, 16: tensor.BF16, 17: tensor.Token,
	18: tensor.C128, 19: tensor.F8E5M2, 20: tensor.F8E4M3FN, 21: tensor.S4, 22: tensor.U4,
	23: tensor.F8E4M3B11FNUZ, 24: tensor.F8E5M2FNUZ, 25: tensor.F8E4M3FNUZ,
	26: tensor.S2, 27: tensor.U2, 28: tensor.F8E4M3, 29: tensor.F8E3M4,
	32: tensor.F4E2M1FN, 33: tensor.F8E8M0FNU,
}

// ffiTypes are the element types by their number in a call frame, which is XLA's PrimitiveType.
var ffiTypes = func() (types [34]Type) {
	for number, d := range DTypes {
		if d == tensor.Token {
			continue // it has no memory
		}
		types[number] = Type{d, uint8(d.Size()), uint8(PackedBits(d))}
	}
	return types
}()

// ToFFI returns the number of an element type in a call frame, or 0 if there is none.
func ToFFI(d tensor.DType) int32 {
	for number, of := range DTypes {
		if of == d && d != tensor.Invalid {
			return int32(number)
		}
	}
	return 0
}

// OfFFI returns the element type of a number in a call frame. The Size is 0 if there is none.
func OfFFI(number int32) Type {
	if n := uint32(number); n < uint32(len(ffiTypes)) {
		return ffiTypes[n]
	}
	return Type{}
}

// pjrtTypes are the element types by their number in PJRT_Buffer_Type, which differs from
// that of ffiTypes (xla/pjrt/c/pjrt_c_api.h).
var pjrtTypes = [...]tensor.DType{
	1: tensor.Pred,
	2: tensor.S8, 3: tensor.S16, 4: tensor.S32, 5: tensor.S64,
	6: tensor.U8, 7: tensor.U16, 8: tensor.U32, 9: tensor.U64,
	10: tensor.F16, 11: tensor.F32, 12: tensor.F64, 13: tensor.BF16,
	14: tensor.C64, 15: tensor.C128,
	16: tensor.F8E5M2, 17: tensor.F8E4M3FN, 18: tensor.F8E4M3B11FNUZ,
	19: tensor.F8E5M2FNUZ, 20: tensor.F8E4M3FNUZ,
	21: tensor.S4, 22: tensor.U4, 23: tensor.Token, 24: tensor.S2, 25: tensor.U2,
	26: tensor.F8E4M3, 27: tensor.F8E3M4, 28: tensor.F8E8M0FNU, 29: tensor.F4E2M1FN,
}

// pjrtNumbers are the numbers in PJRT_Buffer_Type by element type. 0 means none.
var pjrtNumbers = func() (numbers [tensor.Token + 1]int32) {
	for number, d := range pjrtTypes {
		if d != tensor.Invalid {
			numbers[d] = int32(number)
		}
	}
	return numbers
}()

// OfPJRT returns the element type of a number in PJRT_Buffer_Type, tensor.Invalid if there is none.
func OfPJRT(number int32) tensor.DType {
	if n := uint32(number); n < uint32(len(pjrtTypes)) {
		return pjrtTypes[n]
	}
	return tensor.Invalid
}

// ToPJRT returns the number of an element type in PJRT_Buffer_Type, or 0 if there is none
// or arrays cannot have the type.
func ToPJRT(d tensor.DType) int32 {
	if d <= tensor.Invalid || d >= tensor.Token {
		return 0
	}
	return pjrtNumbers[d]
}

// XLA packs the elements of the sub-byte types in device memory, the first in the lowest
// bits (pred is a whole byte). On the host each element has its own byte, so a callback
// gets copies of arrays of these types, which are packed again after the call.

// PackedBits returns the width of a packed element, or 0 if the type is not packed.
func PackedBits(d tensor.DType) uint {
	switch d {
	case tensor.S2, tensor.U2:
		return 2
	case tensor.S4, tensor.U4, tensor.F4E2M1FN:
		return 4
	}
	return 0
}

// A Packed is a result to pack after the call.
type Packed struct {
	Values []byte // one element in each byte
	To     []byte
	Bits   uint
}

// PackedSize returns the number of bytes of n packed elements.
func PackedSize(n int, bits uint) int { return int((uint(n)*bits + 7) / 8) }

// Unpack returns n packed elements, one in each byte.
func Unpack(dtype tensor.DType, from unsafe.Pointer, n int, bits uint) []byte {
	bytes := unsafe.Slice((*byte)(from), PackedSize(n, bits))
	values := make([]byte, n)
	for i := range values {
		at := uint(i) * bits
		values[i] = bytes[at/8] >> (at % 8) & (1<<bits - 1)
	}
	ExtendSign(dtype, values)
	return values
}

// ExtendSign makes each element of a signed sub-byte type an int8, because XLA leaves the
// upper bits zero.
func ExtendSign(dtype tensor.DType, values []byte) {
	if dtype != tensor.S2 && dtype != tensor.S4 {
		return
	}
	shift := 8 - PackedBits(dtype)
	for i, v := range values {
		values[i] = byte(int8(v<<shift) >> shift)
	}
}

// Pack packs the values.
func (p Packed) Pack() {
	clear(p.To)
	for i, v := range p.Values {
		at := uint(i) * p.Bits
		p.To[at/8] |= v & (1<<p.Bits - 1) << (at % 8)
	}
}
