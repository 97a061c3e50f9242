package bytecode

import (
	"slices"
	"strings"
)

// Versions of the format that changed what this package reads, and the last one known.
const (
	versionedDialects = 1
	lazyRegions       = 2 // isolated regions are sections
	useListOrders     = 3
	optionalLocations = 4 // of block arguments
	nativeProperties  = 5 // and a flag in the names of operations
	Last              = 6
)

// Sections of a module.
const (
	stringSection = iota
	dialectSection
	attributeSection // the values of attributes and types
	offsetSection    // their sizes and dialects
	irSection        // the operations
	_                // resources
	_                // their sizes
	_                // versions of dialects
	propertySection
	knownSections

	sectionAligned byte = 0x80 // a flag
)

// A Module is bytecode. Open reads what names it, and Read its other tables.
type Module struct {
	Version    uint64
	Producer   string // the name and version of what wrote it
	Dialects   []string
	Names      []string // of operations, with their dialects
	Attributes []Part   // each is encoded by its dialect
	Types      []Part
	Damage     string // what is wrong first, such as "a section is longer than the file"

	data       []byte
	lying      bool
	sections   [knownSections]Reader
	strings    []byte
	offsets    []int    // of the strings; and the end of the last one
	properties [][]byte // encoded by the operation
}

// A Part is an attribute or type: encoded by its dialect, or else as text, which a NUL ends.
type Part struct {
	Dialect    string
	Data, Text []byte // one of them is nil
}

// Open reads the names of dialects and operations of bytecode.
func Open(data []byte) *Module {
	r := Reader{data: data, at: len(magic), end: len(data)}
	m := &Module{data: data, Version: r.Number(), Producer: r.Text()}
	for !r.Ended() {
		if id, _, content := r.section(); id < knownSections {
			m.sections[id] = content
		}
	}
	m.check(&r, "a section is longer than the file")
	m.readStrings(m.sections[stringSection])
	m.readNames(m.sections[dialectSection])
	return m
}

// Lying reports whether a count was larger than what followed it. A library takes memory for so many things.
func (m *Module) Lying() bool { return m.lying }

// check keeps what is wrong if a part ended too early.
func (m *Module) check(r *Reader, damage string) {
	m.lying = m.lying || r.lying
	if r.Wrong() {
		m.damaged(damage)
	}
}

func (m *Module) damaged(damage string) {
	if m.Damage == "" {
		m.Damage = damage
	}
}

// readStrings reads the section of the strings. It has their lengths, with a NUL each, in reverse order, and then the
// strings.
func (m *Module) readStrings(r Reader) {
	n := r.Count()
	m.strings, m.offsets = r.data, make([]int, n+1)
	total := r.end
	m.offsets[n] = total
	for i := n; i > 0; i-- {
		size := r.Number()
		if size > uint64(total) {
			r.short = true
			break
		}
		total -= int(size)
		m.offsets[i-1] = total
	}
	if r.lying {
		m.check(&r, "it has more strings than bytes")
	}
	if r.short || total < r.at {
		m.offsets = nil
		m.damaged("its strings are longer than their section")
	}
}

// String returns the string of a number without its NUL, or "".
func (m *Module) String(i uint64) string { return string(m.text(i)) }

func (m *Module) text(i uint64) []byte {
	if i+1 >= uint64(len(m.offsets)) || m.offsets[i] >= m.offsets[i+1] {
		m.damaged("it refers to a string that it does not have")
		return nil
	}
	return m.strings[m.offsets[i] : m.offsets[i+1]-1]
}

// readNames reads the dialects and the names of operations.
func (m *Module) readNames(r Reader) {
	for n := r.Count(); n > 0 && !r.Ended(); n-- {
		name, versioned := r.Number(), false
		if m.Version >= versionedDialects {
			name, versioned = name>>1, name&1 != 0
		}
		if versioned {
			r.section()
		}
		m.Dialects = append(m.Dialects, m.String(name))
	}
	if m.Version >= optionalLocations && !r.Ended() {
		r.Count() // of operations
	}
	for !r.Ended() {
		i := r.Number()
		if i >= uint64(len(m.Dialects)) {
			m.damaged("it refers to a dialect that it does not have")
		}
		dialect := at(m.Dialects, i) + "."
		for n := r.Count(); n > 0 && !r.Ended(); n-- {
			name := r.Number()
			if m.Version >= nativeProperties {
				name >>= 1
			}
			m.Names = append(m.Names, dialect+m.String(name))
		}
	}
	m.check(&r, "its section of dialects is too short")
}

func at[T any](list []T, i uint64) (none T) {
	if i < uint64(len(list)) {
		return list[i]
	}
	return none
}

// Read reads the attributes, the types and the properties.
func (m *Module) Read() {
	offsets, parts := m.sections[offsetSection], m.sections[attributeSection]
	attributes := offsets.Number()
	all := offsets.counted(attributes + offsets.counted(offsets.Number()))
	offsets.lying = offsets.lying || attributes > all // the sum overflows
	for i := uint64(0); !offsets.Ended(); {
		dialect := at(m.Dialects, offsets.Number())
		left := all - i // a group is of attributes or of types
		if i < attributes {
			left = attributes - i
		}
		n := offsets.Count()
		offsets.lying = offsets.lying || n > left
		for ; n > 0 && !offsets.Ended(); n-- {
			part := Part{Dialect: dialect}
			size, encoded := offsets.Flagged()
			if data := parts.Skip(size); encoded {
				part.Data = data
			} else {
				part.Text = data
			}
			if i++; i <= attributes {
				m.Attributes = append(m.Attributes, part)
			} else {
				m.Types = append(m.Types, part)
			}
		}
	}
	m.check(&offsets, "its section of attributes is too short")
	m.check(&parts, "its section of attributes is too short")
	if p := m.sections[propertySection]; !p.Ended() {
		for n := p.Count(); n > 0 && !p.Ended(); n-- {
			m.properties = append(m.properties, p.Skip(p.Number()))
		}
		m.check(&p, "its section of properties is too short")
	}
}

// IsPortable reports whether the module is a portable artifact of StableHLO: one whose operations are all of the
// dialect VHLO, or that StableHLO's own functions wrote, which state themselves as the producer.
func (m *Module) IsPortable() bool {
	return m.Artifact() != "" || slices.Contains(m.Dialects, "vhlo") &&
		!slices.ContainsFunc(m.Dialects, func(d string) bool { return d != "vhlo" && d != "builtin" })
}

// Artifact returns the version of StableHLO that a portable artifact states, such as "1.19.0", or "" if it states none.
func (m *Module) Artifact() string {
	version, ok := strings.CutPrefix(m.Producer, "StableHLO_v")
	if !ok {
		return ""
	}
	return version
}
