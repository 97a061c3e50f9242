package bytecode

import "slices"

// A Change is what Rewrite changes in an operation.
type Change struct {
	Attributes int  // the number of its new dictionary, or -1 for none; its properties go
	More, Less bool // it gets a further region, which is empty, or loses the last one, which must be empty
}

// AddAttribute adds an attribute that a dialect encodes, and returns its number.
func (m *Module) AddAttribute(dialect string, data []byte) int {
	m.Attributes = append(m.Attributes, Part{Dialect: dialect, Data: data})
	return len(m.Attributes) - 1
}

// AddText is AddAttribute for one that is a text.
func (m *Module) AddText(dialect, text string) int {
	m.Attributes = append(m.Attributes, Part{Dialect: dialect, Text: append([]byte(text), 0)})
	return len(m.Attributes) - 1
}

// Rewrite returns a module with its attributes, which may have been changed and added, and with the operations for
// which change returns one. The version of the dialect is left out. Read must have been called, and the module must
// not be damaged.
func (m *Module) Rewrite(dialect string, change func(Op) *Change) []byte {
	body := new(Writer)
	m.walk(Visitor{Op: func(Op) bool { return true }}, &copier{change: change, Writer: body})
	values, offsets := m.writeAttributes()
	r := Reader{data: m.data, at: len(magic), end: len(m.data)}
	r.Number() // the version of the format
	r.Text()   // the producer
	w := &Writer{data: slices.Clone(m.data[:r.at])}
	for !r.Ended() {
		id, alignment, part := r.section()
		content := part.rest()
		switch id {
		case dialectSection:
			content = m.withoutVersion(part, dialect)
		case attributeSection:
			content = values
		case offsetSection:
			content = offsets
		case irSection:
			content = body.data
		}
		w.section(id, alignment, content)
	}
	return w.data
}

// writeAttributes returns the sections of the attributes and types and of their sizes.
func (m *Module) writeAttributes() (values, offsets []byte) {
	var v, o Writer
	o.Number(uint64(len(m.Attributes)))
	o.Number(uint64(len(m.Types)))
	for _, list := range [][]Part{m.Attributes, m.Types} {
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].Dialect == list[0].Dialect {
				n++
			}
			o.Number(uint64(slices.Index(m.Dialects, list[0].Dialect)))
			o.Number(uint64(n))
			for _, p := range list[:n] {
				v.add(p.Data, p.Text)
				size := uint64(len(p.Data)+len(p.Text)) << 1
				if p.Data != nil {
					size |= 1
				}
				o.Number(size)
			}
			list = list[n:]
		}
	}
	return v.data, o.data
}

// withoutVersion returns the section of the dialects without the version of one.
func (m *Module) withoutVersion(r Reader, dialect string) []byte {
	var w Writer
	n := r.Count()
	w.Number(n)
	for ; n > 0 && !r.Ended(); n-- {
		from := r.at
		name, versioned := r.Number(), false
		if m.Version >= versionedDialects {
			name, versioned = name>>1, name&1 != 0
		}
		if !versioned {
			w.add(r.data[from:r.at])
			continue
		}
		r.section()
		if m.String(name) == dialect {
			w.Number(name << 1)
		} else {
			w.add(r.data[from:r.at])
		}
	}
	w.add(r.rest())
	return w.data
}

// A copier writes the operations that are walked, with changes. A nil one writes nothing.
type copier struct {
	*Writer
	change func(Op) *Change
	outer  []*Writer // those around the current section
}

func (c *copier) add(parts ...[]byte) {
	if c != nil {
		c.Writer.add(parts...)
	}
}

func (c *copier) Number(n uint64) {
	if c != nil {
		c.Writer.Number(n)
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
	if l.less {
		n--
	}
	n *= 2
	if isolated {
		n++
	}
	c.Number(n)
	if l.lazy {
		c.outer = append(c.outer, c.Writer)
		c.Writer = new(Writer)
	}
}

// leave ends them.
func (c *copier) leave(l level) {
	if c == nil {
		return
	}
	if l.more {
		c.Number(0) // blocks
	}
	if l.lazy {
		inner, last := c.Writer, len(c.outer)-1
		c.Writer, c.outer = c.outer[last], c.outer[:last]
		c.section(irSection, 0, inner.data)
	}
}
