package bridge

import (
	"encoding/binary"
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
)

// parameters returns the shapes of a program's parameters on one device. XLA itself
// compares only the number of bytes of an input, not its element type and dimensions. The
// program is a HloModuleProtoWithConfig; the field numbers are from xla/service/hlo.proto
// and xla/xla_data.proto. A parameter that is not an array of known dimensions has the zero
// Shape. ok is false if the program cannot be read.
func parameters(program []byte) (shapes []tensor.Shape, ok bool) {
	const module, programShape, parameter = 1, 4, 1
	for hlo := range fields(program, module) {
		for shape := range fields(hlo.bytes, programShape) {
			for p := range fields(shape.bytes, parameter) {
				shapes = append(shapes, protoShape(p.bytes))
			}
			return shapes, true
		}
	}
	return nil, false
}

// leadingTokens returns the number of tokens at the beginning of a list.
func leadingTokens(shapes []tensor.Shape) (n int) {
	for n < len(shapes) && shapes[n].DType == tensor.Token {
		n++
	}
	return n
}

// protoShape reads a ShapeProto.
func protoShape(proto []byte) (s tensor.Shape) {
	const elementType, dimensions, dynamic = 2, 3, 6
	const token = 17
	for f := range fields(proto, elementType) {
		switch {
		case f.number == token:
			s.DType = tensor.Token
		case f.number < uint64(len(ffiTypes)):
			s.DType = ffiTypes[f.number].dtype
		}
	}
	for f := range fields(proto, dynamic) {
		if slices.ContainsFunc(f.numbers(), func(n uint64) bool { return n != 0 }) {
			return tensor.Shape{}
		}
	}
	for f := range fields(proto, dimensions) {
		for _, n := range f.numbers() {
			s.Dims = append(s.Dims, int(n))
		}
	}
	return s
}

// A field is one field of a message: a number, or bytes.
type field struct {
	number uint64
	bytes  []byte
	isNum  bool
}

// numbers returns the elements of a repeated field, packed or not.
func (f field) numbers() (list []uint64) {
	if f.isNum {
		return []uint64{f.number}
	}
	for rest := f.bytes; len(rest) > 0; {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			return nil
		}
		list, rest = append(list, v), rest[n:]
	}
	return list
}

// fields iterates over the fields of a message with the number, in the wire format of
// Protocol Buffers. It stops if the message is damaged.
func fields(message []byte, number uint64) func(yield func(field) bool) {
	return func(yield func(field) bool) {
		for len(message) > 0 {
			tag, n := binary.Uvarint(message)
			if n <= 0 {
				return
			}
			message = message[n:]
			var f field
			switch size := uint64(0); tag & 7 {
			case 0:
				f.number, n = binary.Uvarint(message)
				f.isNum = true
				if n <= 0 {
					return
				}
				message = message[n:]
			case 1, 2, 5:
				switch tag & 7 {
				case 1:
					size = 8
				case 5:
					size = 4
				default:
					if size, n = binary.Uvarint(message); n <= 0 {
						return
					}
					message = message[n:]
				}
				if size > uint64(len(message)) {
					return
				}
				f.bytes, message = message[:size], message[size:]
			default:
				return
			}
			if tag>>3 == number && !yield(f) {
				return
			}
		}
	}
}
