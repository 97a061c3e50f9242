package quick

import (
	"bytes"
	"math"
	"math/bits"
	"strings"
)

// bytecodeMagic is the start of every MLIR bytecode file.
const bytecodeMagic = "ML\xefR"

// The versions of the format that changed what this package reads, and the last one known.
const (
	versionDialects   = 1 // dialects have versions
	versionLazy       = 2 // isolated regions are sections
	versionUseLists   = 3 // orders of uses
	versionElidedLocs = 4 // block arguments without a location
	versionProperties = 5 // properties, and a flag in the names of operations
	versionLast       = 6
)

// Sections of a module.
const (
	stringSection  = 0
	dialectSection = 1
	attrSection    = 2
	offsetSection  = 3
	irSection      = 4
	sections       = 5 // others do not matter here

	sectionAligned byte = 0x80 // a flag
)

// What an operation has, as a set of bits.
const (
	hasAttributes byte = 1 << iota
	hasResults
	hasOperands
	hasSuccessors
	hasRegions
	hasUseLists
	hasProperties
)

// A reader reads a part of bytecode, as MLIR's document BytecodeFormat describes it. After the
// end of the part it reads zeros, and bad is true.
type reader struct {
	data []byte // all of it: alignments are relative to its start
	at   int
	end  int
	bad  bool
}

func (r *reader) byte() byte {
	if r.at >= r.end {
		r.bad = true
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

// part returns a reader of the next n bytes and skips them.
func (r *reader) part(n uint64) reader {
	if n > uint64(r.end-r.at) {
		r.bad = true
		r.at = r.end
		return reader{bad: true}
	}
	r.at += int(n)
	return reader{data: r.data, at: r.at - int(n), end: r.at}
}

// number reads an integer of variable size. The number of trailing zeros of the first byte is
// the number of bytes that follow. The integer is in the other bits, least significant first.
func (r *reader) number() uint64 {
	first := r.byte()
	following := bits.TrailingZeros8(first)
	n := uint64(0)
	for i := range following {
		n |= uint64(r.byte()) << (8 * i)
	}
	if following == 8 {
		return n
	}
	return n<<(8-following-1) | uint64(first>>(following+1))
}

// numbers skips n integers.
func (r *reader) numbers(n uint64) {
	for ; n > 0 && !r.bad; n-- {
		r.number()
	}
}

// flagged reads an integer with a flag in its lowest bit.
func (r *reader) flagged() (n uint64, flag bool) {
	n = r.number()
	return n >> 1, n&1 != 0
}

// text reads a string that a NUL ends.
func (r *reader) text() string {
	length := bytes.IndexByte(r.data[r.at:r.end], 0)
	if length < 0 {
		r.bad, r.at = true, r.end
		return ""
	}
	r.at += length + 1
	return string(r.data[r.at-length-1 : r.at-1])
}

// section reads the next section.
func (r *reader) section() (id byte, content reader) {
	head := r.byte()
	length := r.number()
	if head&sectionAligned != 0 {
		if align := r.number(); align > 0 {
			r.part((align - uint64(r.at)%align) % align)
		}
	}
	return head &^ sectionAligned, r.part(length)
}

// A module is bytecode whose tables were read.
type module struct {
	version  uint64
	portable bool // a portable artifact, which a library converts from VHLO
	strings  reader
	offsets  []int // of the strings, from the start of their data; and the end of the last
	dialects []string
	names    []name
	attrs    []attribute
	data     []byte
	resolved map[uint64]position
	found    []operation
	bad      string // why the module cannot be read
}

// A name is that of an operation, and its rule.
type name struct {
	full string
	rule int
	is   bool
}

// An attribute is a part of the attribute section.
type attribute struct {
	at       int
	encoding encoding
	size     uint64
}

// An encoding is how an attribute is written.
type encoding uint8

const (
	inText    encoding = iota
	inBuiltin          // the binary encoding of the builtin dialect
	inOther            // that of another dialect
)

const damaged = "the bytecode is damaged: "

func readBytecode(data []byte) ([]operation, error) {
	m := &module{data: data, resolved: map[uint64]position{}}
	m.read(data)
	if m.bad != "" {
		return m.found, &Error{1, 1, m.bad}
	}
	return m.found, nil
}

func (m *module) read(data []byte) {
	r := reader{data: data, at: len(bytecodeMagic), end: len(data)}
	if m.version = r.number(); m.version > versionLast {
		m.bad = "it has a newer version of the bytecode format: it needs the full engine, without -quick"
		return
	}
	producer := r.text()
	var parts [sections]reader
	for r.at < r.end && !r.bad {
		if id, content := r.section(); id < sections {
			parts[id] = content
		}
	}
	if r.bad {
		m.bad = damaged + "a section is longer than the file"
		return
	}
	m.readStrings(parts[stringSection])
	m.readDialects(parts[dialectSection])
	m.portable = strings.HasPrefix(producer, "StableHLO_v") || m.onlyVHLO()
	found := false
	for i := range m.names {
		found = m.names[i].find(m.portable) || found
	}
	if !found || m.bad != "" {
		return
	}
	m.readAttributes(parts[offsetSection], parts[attrSection])
	m.readOperations(parts[irSection])
}

// onlyVHLO reports whether the module has operations of the VHLO dialect and no other.
func (m *module) onlyVHLO() bool {
	is := false
	for _, d := range m.dialects {
		if d != "vhlo" && d != "builtin" {
			return false
		}
		is = is || d == "vhlo"
	}
	return is
}

// find looks up the rule for a name.
func (n *name) find(portable bool) bool {
	if short, ok := strings.CutPrefix(n.full, "vhlo."); ok && portable {
		if i := strings.LastIndex(short, "_v"); i >= 0 && strings.Trim(short[i+2:], "0123456789") == "" {
			n.full = "stablehlo." + short[:i]
		}
	}
	_, n.rule, n.is = ruleOf(n.full)
	return n.is
}

func (m *module) readStrings(r reader) {
	n := r.number()
	if n > uint64(r.end-r.at) {
		m.bad = damaged + "it has more strings than bytes"
		return
	}
	m.offsets = make([]int, n+1)
	// The last string is first.
	total := r.end
	m.offsets[n] = total
	for i := n; i > 0; i-- {
		size := r.number()
		if r.bad || size > uint64(total) {
			m.bad = damaged + "its strings are longer than their section"
			return
		}
		total -= int(size)
		m.offsets[i-1] = total
	}
	m.strings = r
}

// str returns a string.
func (m *module) str(i uint64) string {
	if i+1 >= uint64(len(m.offsets)) || m.offsets[i]+1 > m.offsets[i+1] || m.offsets[i] < m.strings.at {
		m.bad = damaged + "it refers to a string that it does not have"
		return ""
	}
	return string(m.strings.data[m.offsets[i] : m.offsets[i+1]-1]) // without its NUL
}

func (m *module) readDialects(r reader) {
	for n := r.number(); n > 0 && !r.bad && m.bad == ""; n-- {
		index, versioned := r.number(), false
		if m.version >= versionDialects {
			index, versioned = index>>1, index&1 != 0
		}
		if versioned {
			r.section()
		}
		m.dialects = append(m.dialects, m.str(index))
	}
	if m.version >= versionElidedLocs && r.at < r.end {
		r.number() // how many names of operations follow
	}
	for r.at < r.end && !r.bad && m.bad == "" {
		dialect := r.number()
		if dialect >= uint64(len(m.dialects)) {
			m.bad = damaged + "it refers to a dialect that it does not have"
			return
		}
		for n := r.number(); n > 0 && !r.bad && m.bad == ""; n-- {
			index := r.number()
			if m.version >= versionProperties {
				index >>= 1
			}
			m.names = append(m.names, name{full: m.dialects[dialect] + "." + m.str(index)})
		}
	}
	if r.bad {
		m.bad = damaged + "its section of dialects is too short"
	}
}

// readAttributes finds the attributes in their section.
func (m *module) readAttributes(r, content reader) {
	n := r.number()
	r.number() // how many types follow the attributes
	for uint64(len(m.attrs)) < n && !r.bad {
		dialect := r.number()
		for k := r.number(); k > 0 && !r.bad && uint64(len(m.attrs)) < n; k-- {
			size, custom := r.flagged()
			as := inText
			if custom {
				as = inOther
				if dialect < uint64(len(m.dialects)) && m.dialects[dialect] == "builtin" {
					as = inBuiltin
				}
			}
			m.attrs = append(m.attrs, attribute{content.part(size).at, as, size})
		}
	}
	if r.bad || content.bad {
		m.bad = damaged + "its section of attributes is too short"
	}
}

// reader returns a reader of an attribute.
func (m *module) reader(a attribute) reader {
	return reader{data: m.data, at: a.at, end: a.at + int(a.size)}
}

// A region is a region that is being read.
type region struct {
	ops    uint64 // that the current block still has
	blocks uint64 // that follow the current one
	more   uint64 // regions of the same operation that follow this one
	lazy   bool   // the regions of the operation are a section
}

// readOperations reads all operations. Regions may be nested deeply, so it does not recurse.
func (m *module) readOperations(r reader) {
	readers := []*reader{&r}
	stack := []region{{ops: m.blockHeader(&r)}}
	for len(stack) > 0 && m.bad == "" {
		r := readers[len(readers)-1]
		top := &stack[len(stack)-1]
		switch {
		case r.bad:
			m.bad = damaged + "a region is too short"
		case top.ops > 0:
			top.ops--
			regions, isolated := m.operation(r)
			if regions == 0 {
				break
			}
			inner := region{more: regions, lazy: isolated && m.version >= versionLazy}
			if inner.lazy {
				id, content := r.section()
				if id != irSection {
					m.bad = damaged + "a region is in a section of another kind"
				}
				readers = append(readers, &content)
			}
			stack = append(stack, inner)
		case top.blocks > 0:
			top.blocks--
			top.ops = m.blockHeader(r)
		case top.more > 0:
			top.more--
			if top.blocks = r.number(); top.blocks > 0 {
				r.number() // how many values the region defines
				top.blocks--
				top.ops = m.blockHeader(r)
			}
		default:
			if top.lazy {
				readers = readers[:len(readers)-1]
			}
			stack = stack[:len(stack)-1]
		}
	}
}

// blockHeader reads what precedes the operations of a block and returns their number.
func (m *module) blockHeader(r *reader) uint64 {
	ops, hasArguments := r.flagged()
	if !hasArguments {
		return ops
	}
	n := r.number()
	for i := uint64(0); i < n && !r.bad; i++ {
		hasLocation := true
		if m.version >= versionElidedLocs {
			_, hasLocation = r.flagged()
		} else {
			r.number()
		}
		if hasLocation {
			r.number()
		}
	}
	if m.version >= versionUseLists && r.byte() != 0 {
		r.useLists(n)
	}
	return ops
}

// operation reads an operation up to its regions. It returns how many it has, and whether they
// are isolated from what is above.
func (m *module) operation(r *reader) (regions uint64, isolated bool) {
	index := r.number()
	if index >= uint64(len(m.names)) {
		m.bad = damaged + "it refers to a name of an operation that it does not have"
		return 0, false
	}
	has := r.byte()
	location := r.number()
	if n := m.names[index]; n.is && !r.bad {
		at := m.position(location, 0)
		at.known = true
		m.found = append(m.found, operation{name: n.full, rule: n.rule, stated: at})
	}
	if has&hasAttributes != 0 {
		r.number()
	}
	if has&hasProperties != 0 {
		r.number()
	}
	results := uint64(0)
	if has&hasResults != 0 {
		results = r.number()
		r.numbers(results)
	}
	if has&hasOperands != 0 {
		r.numbers(r.number())
	}
	if has&hasSuccessors != 0 {
		r.numbers(r.number())
	}
	if m.version >= versionUseLists && has&hasUseLists != 0 {
		r.useLists(results)
	}
	if has&hasRegions != 0 {
		return r.flagged()
	}
	return 0, false
}

// useLists skips the orders of the uses of some values.
func (r *reader) useLists(values uint64) {
	n := uint64(1)
	if values > 1 {
		n = r.number()
	}
	for ; n > 0 && !r.bad; n-- {
		if values > 1 {
			r.number() // which value
		}
		indices, _ := r.flagged()
		r.numbers(indices)
	}
}

// The locations, and the attributes that they usually contain, in the binary encoding of the
// builtin dialect.
const (
	arrayAttr             = 0
	dictionaryAttr        = 1
	stringAttr            = 2
	typedStringAttr       = 3
	symbolAttr            = 4
	nestedSymbolAttr      = 5
	typeAttr              = 6
	unitAttr              = 7
	integerAttr           = 8
	floatAttr             = 9
	callSiteLocation      = 10
	fileLineColLocation   = 11
	fusedLocation         = 12
	fusedMetadataLocation = 13
	nameLocation          = 14
	unknownLocation       = 15
	fileRangeLocation     = 22
)

// maxNested is how deep locations may be nested.
const maxNested = 10_000

// position returns the first file:line:column of the location with an index.
func (m *module) position(index uint64, nested int) position {
	if at, ok := m.resolved[index]; ok {
		return at
	}
	if nested > maxNested {
		m.bad = "its locations are nested too deeply: it needs the full engine, without -quick"
		return position{}
	}
	if index >= uint64(len(m.attrs)) {
		m.bad = damaged + "it refers to a location that it does not have"
		return position{}
	}
	m.resolved[index] = position{} // ends a cycle
	at := m.positionOf(m.attrs[index], nested)
	m.resolved[index] = at
	return at
}

func (m *module) positionOf(attr attribute, nested int) position {
	a := m.reader(attr)
	if attr.encoding == inText {
		text := a.text()
		if nested > 0 && !strings.HasPrefix(text, "loc(") { // metadata
			if strings.Contains(text, `":`) {
				m.bad = "its locations have metadata that may contain a position: it needs the full engine, without -quick"
			}
			return position{}
		}
		s := scanner{text: []byte(text)}
		at := s.location()
		if s.err != nil {
			m.bad = s.err.Error()
		}
		return at
	}
	if attr.encoding == inOther {
		m.bad = "it has a location of another dialect: it needs the full engine, without -quick"
		return position{}
	}
	first := func(n uint64) position {
		for ; n > 0 && !a.bad && m.bad == ""; n-- {
			if at := m.position(a.number(), nested+1); at.known {
				return at
			}
		}
		return position{}
	}
	switch code := a.number(); code {
	case callSiteLocation:
		return first(2)
	case fusedLocation:
		return first(a.number())
	case nameLocation:
		a.number()
		return first(1)
	case unknownLocation:
		return position{}
	case fileLineColLocation:
		file := m.stringAttribute(a.number())
		return position{file: file, line: int(a.number()), column: int(a.number()), known: true}
	case fileRangeLocation:
		at := position{file: m.stringAttribute(a.number()), known: true}
		n := a.number()
		if n > 0 {
			at.line = int(a.number())
		}
		if n > 1 {
			at.column = int(a.number())
		}
		return at
	case fusedMetadataLocation:
		locations := a
		for n := a.number(); n > 0 && !a.bad; n-- {
			a.number()
		}
		// The metadata are printed before the locations.
		if at := first(1); at.known || m.bad != "" {
			return at
		}
		a = locations
		return first(a.number())
	case arrayAttr:
		return first(a.number())
	case dictionaryAttr:
		return first(2 * min(a.number(), math.MaxInt64)) // names and values
	case stringAttr, typedStringAttr, symbolAttr, nestedSymbolAttr, typeAttr, unitAttr, integerAttr, floatAttr:
		return position{}
	default:
		m.bad = "it has a location of an unknown kind: it needs the full engine, without -quick"
	}
	return position{}
}

// stringAttribute returns the value of an attribute, which must be a string.
func (m *module) stringAttribute(index uint64) string {
	if index >= uint64(len(m.attrs)) || m.attrs[index].encoding != inBuiltin {
		m.bad = damaged + "the file name in a location is not a string"
		return ""
	}
	a := m.reader(m.attrs[index])
	if a.number() != stringAttr {
		m.bad = damaged + "the file name in a location is not a string"
		return ""
	}
	return m.str(a.number())
}
