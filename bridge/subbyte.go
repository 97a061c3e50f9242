package bridge

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/tensor"
)

// XLA packs the elements of the sub-byte types in device memory, the first in the lowest
// bits (pred is a whole byte). On the host each element has its own byte, so a callback
// gets copies of arrays of these types, which are packed again after the call.

// packedBits returns the width of a packed element, or 0 if the type is not packed.
func packedBits(d tensor.DType) uint {
	switch d {
	case tensor.S2, tensor.U2:
		return 2
	case tensor.S4, tensor.U4, tensor.F4E2M1FN:
		return 4
	}
	return 0
}

// A packed is a result to pack after the call.
type packed struct {
	values []byte // one element in each byte
	to     []byte
	bits   uint
}

func packedSize(n int, bits uint) int { return int((uint(n)*bits + 7) / 8) }

func unpack(dtype tensor.DType, from unsafe.Pointer, n int, bits uint) []byte {
	bytes := unsafe.Slice((*byte)(from), packedSize(n, bits))
	values := make([]byte, n)
	for i := range values {
		at := uint(i) * bits
		values[i] = bytes[at/8] >> (at % 8) & (1<<bits - 1)
	}
	extendSign(dtype, values)
	return values
}

// extendSign makes each element of a signed sub-byte type an int8, because XLA leaves the
// upper bits zero.
func extendSign(dtype tensor.DType, values []byte) {
	if dtype != tensor.S2 && dtype != tensor.S4 {
		return
	}
	shift := 8 - packedBits(dtype)
	for i, v := range values {
		values[i] = byte(int8(v<<shift) >> shift)
	}
}

func (p packed) pack() {
	clear(p.to)
	for i, v := range p.values {
		at := uint(i) * p.bits
		p.to[at/8] |= v & (1<<p.bits - 1) << (at % 8)
	}
}
