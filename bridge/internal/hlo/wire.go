package hlo

import (
	"encoding/binary"
	"strconv"
	"strings"
)

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

// first returns the first field of a message with the number, or the zero value.
func first(message []byte, number uint64) field {
	for f := range fields(message, number) {
		return f
	}
	return field{}
}

// numberList returns a repeated field with commas between the elements.
func numberList(message []byte, number uint64) string {
	var list []string
	for f := range fields(message, number) {
		for _, n := range f.numbers() {
			list = append(list, strconv.FormatUint(n, 10))
		}
	}
	return strings.Join(list, ",")
}
