package mlir

import (
	"bytes"
	"slices"
)

// shardy is the namespace of Shardy's dialect.
const shardy = "sdy"

// EncodesShardy reports whether a module is bytecode in which Shardy's dialect encodes attributes in a form
// of its own, which no library known here reads. Newer versions of JAX write it.
func EncodesShardy(data []byte) bool {
	if !IsBytecode(data) || !bytes.Contains(data, []byte(shardy)) {
		return false
	}
	return slices.ContainsFunc(readBytecode(data).attributes,
		func(a bytecodePart) bool { return a.dialect == shardy && a.data != nil })
}

// WithoutShardy returns a module of which EncodesShardy is true without what Shardy encodes in it: its
// attributes become empty texts, and its operations lose their properties. A context that allows
// unregistered dialects parses the result, if its library does not have Shardy. That is good for looking at
// operations. It is not the module that was written, so do not run or write it.
func WithoutShardy(data []byte) []byte {
	data = bytes.Clone(data)
	m := readBytecode(data)
	for _, a := range m.attributes {
		if a.dialect == shardy {
			a.empty()
		}
	}
	m.visit, m.copy = func(bytecodeOp) {}, new(bytecodeWriter)
	m.walk()
	r := bytecodeReader{data: data, at: len(bytecodeMagic)}
	r.number() // the version of the format
	r.text()   // the producer
	w := &bytecodeWriter{data: slices.Clone(data[:r.at])}
	for !r.ended() {
		id, alignment, content := r.alignedSection()
		if id == irSection {
			content = m.copy.data
		}
		w.section(id, alignment, content)
	}
	return w.data
}

// empty replaces an encoded attribute by the text of one that has no meaning and as many bytes.
func (p bytecodePart) empty() bool {
	last := len(p.data) - 1
	if last < 1 {
		return false
	}
	clearLowestBit(p.size)
	for i := range p.data {
		p.data[i] = ' '
	}
	p.data[last] = 0
	if last < len(`""`) {
		p.data[0] = '0'
	} else {
		p.data[0], p.data[last-1] = '"', '"'
	}
	return true
}
