package mlir

import (
	"encoding/binary"
	"strings"
)

// A bytecodeModule is what parseGuard reads of bytecode before the library does: the operations
// with their attributes. Anything unexpected ends the reading, and the library reports it.
type bytecodeModule struct {
	version    uint64
	strings    []string
	ops        []string         // the names of operations, with dialects
	attributes []bytecodePart   // each is encoded by its dialect
	types      []bytecodePart   //
	properties [][]byte         // encoded by the operation
	ir         bytecodeReader   // the operations
	visit      func(bytecodeOp) // called with each operation
	lying      bool             // a count is larger than what follows it
	nest       *nesting         // if it is not nil, walk calls it with the operations and their regions
	copy       *bytecodeWriter  // if it is not nil, walk writes the operations to it, without Shardy
}

// A bytecodePart is an encoded attribute or type.
type bytecodePart struct {
	dialect string
	data    []byte // nil if it is written as text
	text    []byte // nil if it is not
	size    []byte // begins with its size, whose lowest bit is 0 for text
}

// A bytecodeOp is an operation: the position of its dictionary of attributes, or -1, its
// properties and the number of its results.
type bytecodeOp struct {
	name       string
	attributes int
	properties []byte
	results    uint64
}

// maskProperties is the bit of an operation that has properties.
const maskProperties = 0x40

// Versions of the format.
const (
	versionedDialects = 1
	lazyRegions       = 2
	useListOrders     = 3
	optionalLocations = 4
	nativeProperties  = 5
)

// newBytecode reads the version and the strings of a module.
func newBytecode(data []byte, strings bytecodeReader) *bytecodeModule {
	version := bytecodeReader{data: data, at: len(bytecodeMagic)}
	m := &bytecodeModule{version: version.number(), strings: strings.strings()}
	m.lying = strings.lying
	return m
}

// readBytecode reads the tables of a module.
func readBytecode(data []byte) *bytecodeModule {
	sections := bytecodeSections(data)
	m := newBytecode(data, sections[stringSection])
	dialects := m.readNames(&sections[dialectSection])
	m.readParts(dialects, &sections[offsetSection], &sections[attributeSection])
	p := &sections[propertySection]
	for n := p.count(); n > 0 && !p.ended(); n-- {
		m.properties = append(m.properties, p.skip(p.number()))
	}
	m.lying = m.lying || p.lying
	m.ir = sections[irSection]
	return m
}

func at[T any](list []T, i uint64) (none T) {
	if i < uint64(len(list)) {
		return list[i]
	}
	return none
}

// readNames reads the dialects and the names of operations.
func (m *bytecodeModule) readNames(r *bytecodeReader) (dialects []string) {
	for n := r.count(); n > 0 && !r.ended(); n-- {
		name := r.number()
		if m.version >= versionedDialects {
			if name&1 != 0 {
				r.section()
			}
			name >>= 1
		}
		dialects = append(dialects, at(m.strings, name))
	}
	if m.version >= optionalLocations {
		r.count() // of operations
	}
	for !r.ended() {
		dialect := at(dialects, r.number())
		for n := r.count(); n > 0 && !r.ended(); n-- {
			name := r.number()
			if m.version >= nativeProperties {
				name >>= 1
			}
			m.ops = append(m.ops, dialect+"."+at(m.strings, name))
		}
	}
	m.lying = m.lying || r.lying
	return dialects
}

// readParts reads the attributes and types.
func (m *bytecodeModule) readParts(dialects []string, offsets, parts *bytecodeReader) {
	attributes := offsets.number()
	all := offsets.counted(attributes + offsets.counted(offsets.number()))
	offsets.lying = offsets.lying || attributes > all // the sum overflows
	for i := uint64(0); !offsets.ended(); {
		dialect := at(dialects, offsets.number())
		left := all - i // a group is of attributes or of types
		if i < attributes {
			left = attributes - i
		}
		n := offsets.count()
		offsets.lying = offsets.lying || n > left
		for ; n > 0 && !offsets.ended(); n-- {
			encoded := offsets.data[offsets.at:]
			size := offsets.number()
			part := bytecodePart{dialect: dialect, data: parts.skip(size >> 1), size: encoded}
			if size&1 == 0 {
				part.data, part.text = nil, part.data
			}
			if i++; i <= attributes {
				m.attributes = append(m.attributes, part)
			} else {
				m.types = append(m.types, part)
			}
		}
	}
	m.lying = m.lying || offsets.lying
}

// walk calls m.visit with each operation.
func (m *bytecodeModule) walk() {
	r := m.ir
	m.block(&r)
	m.lying = m.lying || r.lying
}

// arguments reports whether the block that follows has arguments. Those of the outermost one would have no place.
func (r bytecodeReader) arguments() bool { return r.number()&1 != 0 }

func (m *bytecodeModule) block(r *bytecodeReader) {
	start := r.at
	n := r.number()
	if n&1 != 0 {
		arguments := r.count()
		for i := uint64(0); i < arguments && !r.ended(); i++ {
			if typ := r.number(); m.version < optionalLocations || typ&1 != 0 {
				r.number() // the location
			}
		}
		if m.version >= useListOrders && r.byte() != 0 {
			r.useListOrders(arguments)
		}
	}
	m.copy.add(r.data[start:r.at])
	for n = r.counted(n >> 1); n > 0 && !r.ended(); n-- {
		m.operation(r)
	}
}

// numbers skips a list of numbers, and returns its length.
func (r *bytecodeReader) numbers() uint64 {
	n := r.count()
	for i := uint64(0); i < n && !r.ended(); i++ {
		r.number()
	}
	return n
}

// useListOrders skips the orders of the uses of n values.
func (r *bytecodeReader) useListOrders(n uint64) {
	orders := uint64(1)
	if n > 1 {
		orders = r.count()
	}
	for ; orders > 0 && !r.ended(); orders-- {
		if n > 1 {
			r.number() // which value
		}
		for uses := r.counted(r.number() >> 1); uses > 0 && !r.ended(); uses-- {
			r.number()
		}
	}
}

func (m *bytecodeModule) operation(r *bytecodeReader) {
	start := r.at
	op := bytecodeOp{name: at(m.ops, r.number()), attributes: -1}
	maskAt := r.at
	mask := r.byte()
	has := func(bit byte) bool { return mask&bit != 0 }
	r.number() // the location
	if has(0x01) {
		op.attributes = int(r.number())
	}
	propertiesAt := r.at
	if has(maskProperties) {
		op.properties = at(m.properties, r.number())
	}
	listsAt := r.at
	for _, list := range []byte{0x02, 0x04, 0x08} { // the types of results, operands, successors
		if has(list) {
			n := r.numbers()
			if list == 0x02 {
				op.results = n
			}
		}
	}
	if has(0x20) {
		r.useListOrders(op.results)
	}
	m.visit(op)
	isShardy := strings.HasPrefix(op.name, shardy+".")
	if isShardy {
		mask &^= maskProperties
		m.copy.add(r.data[start:maskAt], []byte{mask}, r.data[maskAt+1:propertiesAt], r.data[listsAt:r.at])
	} else {
		m.copy.add(r.data[start:r.at])
	}
	if has(0x10) {
		if m.nest != nil {
			m.nest.open()
			defer m.nest.close(true)
		}
		m.regions(r, isShardy)
	}
}

// regions reads the regions of an operation. In the copy, one of Shardy with one region gets an empty one:
// otherwise, symbols are not visible in a region of an unregistered operation.
func (m *bytecodeModule) regions(r *bytecodeReader, isShardy bool) {
	n := r.number()
	more := isShardy && n>>1 == 1
	if more {
		m.copy.number(n + 2)
	} else {
		m.copy.number(n)
	}
	inner, outer := r, m.copy
	if isolated := n&1 != 0; isolated && m.version >= lazyRegions {
		_, content := r.section()
		inner = &content
		if outer != nil {
			m.copy = new(bytecodeWriter)
			defer func() {
				outer.section(irSection, 0, m.copy.data)
				m.copy = outer
			}()
		}
	}
	for n = inner.counted(n >> 1); n > 0 && !inner.ended(); n-- {
		blocks := inner.count()
		m.copy.number(blocks)
		if blocks > 0 {
			m.copy.number(inner.count()) // of values
			for ; blocks > 0 && !inner.ended(); blocks-- {
				m.block(inner)
			}
		}
	}
	m.lying = m.lying || inner.lying
	if more {
		m.copy.number(0) // blocks
	}
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
func content(list []bytecodePart, i uint64, codes map[string]uint64) (bytecodeReader, bool) {
	part := at(list, i)
	r := bytecodeReader{data: part.data}
	code, known := codes[part.dialect]
	return r, known && len(part.data) > 0 && code == r.number()
}

// attribute returns the position of an attribute of an operation: the one with a name in its
// dictionary, or else a number in its properties, which has a flag if it is optional.
func (m *bytecodeModule) attribute(op bytecodeOp, name string, number int, optional bool) (position uint64, ok bool) {
	if r, ok := content(m.attributes, uint64(op.attributes), codeDictionary); ok {
		for n := r.number(); n > 0 && !r.ended(); n-- {
			key, value := r.number(), r.number()
			if s, ok := content(m.attributes, key, codeString); ok && at(m.strings, s.number()) == name {
				return value, true
			}
		}
	}
	r := bytecodeReader{data: op.properties}
	for range number {
		r.number()
	}
	if r.ended() {
		return 0, false
	}
	position = r.number()
	if optional {
		return position >> 1, position&1 != 0
	}
	return position, true
}

// shape returns the dimensions of the type of dense elements.
func (m *bytecodeModule) shape(attribute uint64) (dims []int64) {
	r, ok := content(m.attributes, attribute, codeDense)
	if !ok {
		return nil
	}
	if r, ok = content(m.types, r.number(), codeTensor); !ok {
		return nil
	}
	for n := r.number(); n > 0 && !r.ended(); n-- {
		dims = append(dims, r.signed())
	}
	return dims
}

// elements returns the elements of an array of i64.
func (m *bytecodeModule) elements(attribute uint64) (list []int64) {
	r, ok := content(m.attributes, attribute, codeArray)
	if !ok {
		return nil
	}
	r.number() // the type
	r.number() // how many
	data := r.skip(r.number())
	for ; len(data) >= 8; data = data[8:] {
		list = append(list, int64(binary.LittleEndian.Uint64(data)))
	}
	return list
}
