package mlir

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
)

// bytecodeMagic is the start of every MLIR bytecode file.
const bytecodeMagic = "ML\xefR"

// IsBytecode reports whether data is MLIR bytecode. A portable artifact is bytecode, too.
func IsBytecode(data []byte) bool { return bytes.HasPrefix(data, []byte(bytecodeMagic)) }

// IsPortableArtifact reports whether data is a StableHLO portable artifact, which is bytecode
// whose operations are all of the VHLO dialect. StableHLO's own functions also state it as
// the producer.
func IsPortableArtifact(data []byte) bool {
	if !IsBytecode(data) {
		return false
	}
	if artifactVersion(data) != "" {
		return true
	}
	dialects := bytecodeDialects(data)
	return slices.Contains(dialects, "vhlo") &&
		!slices.ContainsFunc(dialects, func(d string) bool { return d != "vhlo" && d != "builtin" })
}

// producer returns the name and version of what wrote bytecode.
func producer(data []byte) string {
	r := bytecodeReader{data: data, at: len(bytecodeMagic)}
	r.number() // the version of the format
	return r.text()
}

// artifactVersion returns the version of StableHLO that a portable artifact states, such as
// "1.19.0", or "" if it states none.
func artifactVersion(data []byte) string {
	version, ok := strings.CutPrefix(producer(data), "StableHLO_v")
	if !ok {
		return ""
	}
	return version
}

// bytecodeDialects returns the dialects that bytecode lists. The list is incomplete if the
// data are damaged.
func bytecodeDialects(data []byte) []string {
	sections := bytecodeSections(data)
	return newBytecode(data, sections[stringSection]).readNames(&sections[dialectSection])
}

// A bytecodeReader reads bytecode, as MLIR's document BytecodeFormat describes it. After the
// end of the data, or an error, it reads zeros.
type bytecodeReader struct {
	data  []byte
	at    int
	lying bool // a count was larger than what is left
}

func (r *bytecodeReader) ended() bool { return r.at >= len(r.data) }

func (r *bytecodeReader) byte() byte {
	if r.ended() {
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

// skip returns the next n bytes, or nil if there are fewer.
func (r *bytecodeReader) skip(n uint64) []byte {
	if n > uint64(len(r.data)-r.at) {
		r.at = len(r.data)
		return nil
	}
	r.at += int(n)
	return r.data[r.at-int(n) : r.at]
}

// number reads an integer of variable size. The number of trailing zeros of the first byte is
// the number of bytes that follow. The integer is in the other bits, least significant first.
func (r *bytecodeReader) number() uint64 {
	first := r.byte()
	following := bits.TrailingZeros8(first)
	n := uint64(0)
	for i := range following {
		n |= uint64(r.byte()) << (8 * i)
	}
	if following == 8 {
		return n
	}
	return n<<(7-following) | uint64(first>>(following+1))
}

// counted returns a number of things that follow, each of at least one byte. If they cannot be there, it returns 0 and
// ends the reading.
func (r *bytecodeReader) counted(n uint64) uint64 {
	if n > uint64(len(r.data)-r.at) {
		r.lying, r.at = true, len(r.data)
		return 0
	}
	return n
}

// count reads a number of things that follow.
func (r *bytecodeReader) count() uint64 { return r.counted(r.number()) }

// signed reads an integer whose lowest bit is its sign.
func (r *bytecodeReader) signed() int64 {
	n := r.number()
	return int64(n>>1) ^ -int64(n&1)
}

// text reads a string that a NUL ends.
func (r *bytecodeReader) text() string {
	length := bytes.IndexByte(r.data[r.at:], 0)
	if length < 0 {
		r.at = len(r.data)
		return ""
	}
	return string(r.skip(uint64(length) + 1)[:length])
}

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

// bytecodeSections returns the sections of bytecode. Those that damaged data lack are empty.
func bytecodeSections(data []byte) (sections [knownSections]bytecodeReader) {
	r := bytecodeReader{data: data, at: len(bytecodeMagic)}
	r.number() // the version of the format
	r.text()   // the producer
	for !r.ended() {
		if id, content := r.section(); id < knownSections {
			sections[id] = content
		}
	}
	return sections
}

// section returns the next section and its identifier.
func (r *bytecodeReader) section() (id byte, content bytecodeReader) {
	id, _, data := r.alignedSection()
	return id, bytecodeReader{data: data}
}

// alignedSection returns the next section, its identifier and its alignment, or 0 if it has none.
func (r *bytecodeReader) alignedSection() (id byte, alignment uint64, content []byte) {
	head := r.byte()
	length := r.number()
	if head&sectionAligned != 0 {
		if alignment = r.number(); alignment > 0 {
			r.skip(padding(r.at, alignment))
		}
	}
	return head &^ sectionAligned, alignment, r.skip(length)
}

// padding returns the number of bytes from a position to the next aligned one.
func padding(at int, alignment uint64) uint64 { return (alignment - uint64(at)%alignment) % alignment }

// strings reads a string section. It has the lengths of the strings, with a NUL each, in
// reverse order, and then the strings.
func (r *bytecodeReader) strings() []string {
	var lengths []uint64
	for n := r.count(); n > 0 && !r.ended(); n-- {
		lengths = append(lengths, r.number())
	}
	slices.Reverse(lengths)
	var list []string
	for _, length := range lengths {
		list = append(list, strings.TrimSuffix(string(r.skip(length)), "\x00"))
	}
	return list
}
