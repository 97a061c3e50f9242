// Package bytecode reads MLIR's bytecode, as MLIR's document BytecodeFormat describes it, in Go alone: the tables of a
// module, and its operations. It accepts any bytes. What is wrong with them ends the reading, takes no more than linear
// time and memory, and is kept in Module.Damage.
package bytecode

import (
	"bytes"
	"math/bits"
)

// magic is the start of all bytecode.
const magic = "ML\xefR"

// Is reports whether data is MLIR bytecode. A portable artifact is bytecode, too.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// A Reader reads a part of bytecode. Behind the end of the part it reads zeros.
type Reader struct {
	data    []byte // alignments are relative to its start
	at, end int
	short   bool // something behind the end was read
	lying   bool // a count was larger than what is left
}

// NewReader returns a reader of a part.
func NewReader(part []byte) Reader { return Reader{data: part, end: len(part)} }

// Ended reports whether all of the part was read.
func (r *Reader) Ended() bool { return r.at >= r.end }

// Lying reports whether a count was larger than what followed it.
func (r *Reader) Lying() bool { return r.lying }

// Wrong reports whether something that was read was not there.
func (r *Reader) Wrong() bool { return r.short || r.lying }

func (r *Reader) Byte() byte {
	if r.at >= r.end {
		r.short = true
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

// part returns a reader of the next n bytes and skips them, or what is left if there are fewer.
func (r *Reader) part(n uint64) Reader {
	if n > uint64(r.end-r.at) {
		r.short, r.at = true, r.end
		return Reader{short: true}
	}
	r.at += int(n)
	return Reader{data: r.data, at: r.at - int(n), end: r.at}
}

// Skip returns the next n bytes, or nil if there are fewer.
func (r *Reader) Skip(n uint64) []byte {
	part := r.part(n)
	return part.rest()
}

// rest returns what is not read yet.
func (r *Reader) rest() []byte { return r.data[r.at:r.end] }

// Number reads an integer of variable size. The number of trailing zeros of the first byte is the number of bytes that
// follow. The integer is in the other bits, least significant first.
func (r *Reader) Number() uint64 {
	first := r.Byte()
	following := bits.TrailingZeros8(first)
	n := uint64(0)
	for i := range following {
		n |= uint64(r.Byte()) << (8 * i)
	}
	if following == 8 {
		return n
	}
	return n<<(7-following) | uint64(first>>(following+1))
}

// Signed reads an integer whose lowest bit is its sign.
func (r *Reader) Signed() int64 {
	n := r.Number()
	return int64(n>>1) ^ -int64(n&1)
}

// Flagged reads an integer with a flag in its lowest bit.
func (r *Reader) Flagged() (n uint64, flag bool) {
	n = r.Number()
	return n >> 1, n&1 != 0
}

// counted returns a number of things that follow, each of at least one byte. If they cannot be there, it returns 0 and
// ends the reading.
func (r *Reader) counted(n uint64) uint64 {
	if n > uint64(r.end-r.at) {
		r.lying, r.at = true, r.end
		return 0
	}
	return n
}

// Count reads a number of things that follow.
func (r *Reader) Count() uint64 { return r.counted(r.Number()) }

// Numbers skips a list of numbers, and returns its length.
func (r *Reader) Numbers() uint64 {
	n := r.Count()
	r.numbers(n)
	return n
}

func (r *Reader) numbers(n uint64) {
	for ; n > 0 && !r.Ended(); n-- {
		r.Number()
	}
}

// Text reads a string that a NUL ends.
func (r *Reader) Text() string {
	length := bytes.IndexByte(r.rest(), 0)
	if length < 0 {
		r.short, r.at = true, r.end
		return ""
	}
	text := r.Skip(uint64(length) + 1)
	return string(text[:length])
}

// section reads the next section, and its alignment, or 0 if it has none.
func (r *Reader) section() (id byte, alignment uint64, content Reader) {
	head := r.Byte()
	length := r.Number()
	if head&sectionAligned != 0 {
		if alignment = r.Number(); alignment > 0 {
			r.part(padding(r.at, alignment))
		}
	}
	return head &^ sectionAligned, alignment, r.part(length)
}

// padding returns the number of bytes from a position to the next aligned one.
func padding(at int, alignment uint64) uint64 { return (alignment - uint64(at)%alignment) % alignment }
