package bytecode

import (
	"bytes"
	"slices"
	"strings"
)

// Encodes reports whether a dialect encodes attributes of a module in a form of its own. Read must have been called.
func (m *Module) Encodes(dialect string) bool {
	return slices.ContainsFunc(m.Attributes, func(p Part) bool { return p.Dialect == dialect && p.Data != nil })
}

// Emptied returns bytecode in which what a dialect encodes are strings of spaces, or nil if it encodes nothing.
func Emptied(data []byte, dialect string) []byte {
	data = bytes.Clone(data)
	m := Open(data)
	m.Read()
	found := false
	for _, p := range m.Attributes {
		found = p.Dialect == dialect && p.empty() || found
	}
	if !found {
		return nil
	}
	return data
}

// Without returns bytecode without what a dialect encodes: its attributes are strings of spaces, and its operations
// have no properties. Those with one region get another one that is empty. Otherwise, symbols are not visible in the
// region of an operation that is not registered.
func Without(data []byte, dialect string) []byte {
	if empty := Emptied(data, dialect); empty != nil {
		data = empty
	}
	m := Open(data)
	m.Read()
	body := new(writer)
	m.walk(Visitor{Op: func(Op) bool { return true }}, &copier{prefix: dialect + ".", writer: body})
	r := Reader{data: data, at: len(magic), end: len(data)}
	r.Number() // the version of the format
	r.Text()   // the producer
	w := &writer{data: slices.Clone(data[:r.at])}
	for !r.Ended() {
		id, alignment, part := r.section()
		content := part.rest()
		if id == irSection {
			content = body.data
		}
		w.section(id, alignment, content)
	}
	return w.data
}

// empty replaces an encoded attribute by the text of one that has no meaning and as many bytes.
func (p Part) empty() bool {
	last := len(p.Data) - 1
	if last < 1 {
		return false
	}
	clearLowestBit(p.size)
	for i := range p.Data {
		p.Data[i] = ' '
	}
	p.Data[last] = 0
	if last < len(`""`) {
		p.Data[0] = '0'
	} else {
		p.Data[0], p.Data[last-1] = '"', '"'
	}
	return true
}

// clearLowestBit makes the integer at the start of data even. Its lowest bit follows the lowest one of the first byte,
// which states its size, or is in the next byte.
func clearLowestBit(data []byte) {
	if bit := data[0] & -data[0] << 1; bit != 0 {
		data[0] &^= bit
	} else {
		data[1] &^= 1
	}
}

// A copier writes the operations that are walked, without what Without leaves out. A nil one writes nothing.
type copier struct {
	*writer
	prefix string    // of the names of operations that lose something
	outer  []*writer // those around the current section
}

func (c *copier) strips(op Op) bool { return c != nil && strings.HasPrefix(op.Name, c.prefix) }

func (c *copier) add(parts ...[]byte) {
	if c != nil {
		c.writer.add(parts...)
	}
}

func (c *copier) number(n uint64) {
	if c != nil {
		c.writer.number(n)
	}
}

// enter begins n regions of an operation.
func (c *copier) enter(l level, n uint64, isolated bool) {
	if c == nil {
		return
	}
	if l.more {
		n++
	}
	n *= 2
	if isolated {
		n++
	}
	c.number(n)
	if l.lazy {
		c.outer = append(c.outer, c.writer)
		c.writer = new(writer)
	}
}

// leave ends them.
func (c *copier) leave(l level) {
	if c == nil {
		return
	}
	if l.more {
		c.number(0) // blocks
	}
	if l.lazy {
		inner, last := c.writer, len(c.outer)-1
		c.writer, c.outer = c.outer[last], c.outer[:last]
		c.section(irSection, 0, inner.data)
	}
}
