package guard

import (
	"encoding/binary"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
)

// A module is bytecode whose tables were read.
type module struct{ *bytecode.Module }

func at[T any](list []T, i uint64) (none T) {
	if i < uint64(len(list)) {
		return list[i]
	}
	return none
}

// Codes of attributes and types, by dialect.
var (
	codeList       = map[string]uint64{"builtin": 0, "vhlo": 1} // of attributes
	codeDictionary = map[string]uint64{"builtin": 1}
	codeString     = map[string]uint64{"builtin": 2}
	codeArray      = map[string]uint64{"builtin": 17} // of numbers
	codeDense      = map[string]uint64{"builtin": 18, "vhlo": 15}
	codeTensor     = map[string]uint64{"builtin": 13, "vhlo": 20}
	codeComplex    = map[string]uint64{"builtin": 9, "vhlo": 1}
)

// content returns a reader behind the code of an attribute or type, if it has that code.
func content(list []bytecode.Part, i uint64, codes map[string]uint64) (bytecode.Reader, bool) {
	part := at(list, i)
	r := bytecode.NewReader(part.Data)
	code, known := codes[part.Dialect]
	return r, known && len(part.Data) > 0 && code == r.Number()
}

// attribute returns the position of an attribute of an operation: the one with a name in its
// dictionary, or else a number in its properties, which has a flag if it is optional.
func (m *module) attribute(op bytecode.Op, name string, number int, optional bool) (position uint64, ok bool) {
	if r, ok := content(m.Attributes, uint64(op.Attributes), codeDictionary); ok {
		for n := r.Number(); n > 0 && !r.Ended(); n-- {
			key, value := r.Number(), r.Number()
			if s, ok := content(m.Attributes, key, codeString); ok && m.String(s.Number()) == name {
				return value, true
			}
		}
	}
	r := bytecode.NewReader(op.Properties)
	for range number {
		r.Number()
	}
	if r.Ended() {
		return 0, false
	}
	position = r.Number()
	if optional {
		return position >> 1, position&1 != 0
	}
	return position, true
}

// shape returns the dimensions of the type of dense elements.
func (m *module) shape(attribute uint64) (dims []int64) {
	r, ok := content(m.Attributes, attribute, codeDense)
	if !ok {
		return nil
	}
	if r, ok = content(m.Types, r.Number(), codeTensor); !ok {
		return nil
	}
	for n := r.Number(); n > 0 && !r.Ended(); n-- {
		dims = append(dims, r.Signed())
	}
	return dims
}

// elements returns the elements of an array of i64.
func (m *module) elements(attribute uint64) (list []int64) {
	r, ok := content(m.Attributes, attribute, codeArray)
	if !ok {
		return nil
	}
	r.Number() // the type
	r.Number() // how many
	data := r.Skip(r.Number())
	for ; len(data) >= 8; data = data[8:] {
		list = append(list, int64(binary.LittleEndian.Uint64(data)))
	}
	return list
}
