package mutants

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// binaryChanges are those of bytecode and of files of jax.export.
var binaryChanges = append(slices.Clone(anyChanges), nudge, nudge, nudge, resize, resize, dropSection, repeatSection)

// nudge changes a byte by one, so that an index or a length is only a little wrong.
func nudge(m *mutator, data, _ []byte) []byte {
	if len(data) > 0 {
		data[m.IntN(len(data))] += byte(2*m.IntN(2)) - 1
	}
	return data
}

// A section is a section of bytecode: the positions of its first byte, of its length, of what is
// after its length, and of its end.
type section struct{ start, length, body, end int }

// sections returns the sections of bytecode, up to the first one that is damaged.
func sections(data []byte) (all []section) {
	if !mlir.IsBytecode(data) {
		return nil
	}
	at := 4 + width(data, 4)
	producer := bytes.IndexByte(data[min(at, len(data)):], 0)
	if producer < 0 {
		return nil
	}
	for at += producer + 1; at < len(data); {
		s := section{start: at, length: at + 1}
		size, n := varint(data, s.length)
		s.body = s.length + n
		if s.end = s.body; data[at]&0x80 != 0 { // aligned
			alignment, n := varint(data, s.end)
			s.end += n
			if alignment == 0 || alignment > 1<<10 {
				return all
			}
			s.end += (int(alignment) - s.end%int(alignment)) % int(alignment)
		}
		if n == 0 || s.end > len(data) || size > uint64(len(data)-s.end) {
			return all
		}
		s.end += int(size)
		all = append(all, s)
		at = s.end
	}
	return all
}

// width returns the number of bytes of the integer at a position, or 0.
func width(data []byte, at int) int {
	if at >= len(data) {
		return 0
	}
	n := bits.TrailingZeros8(data[at]) + 1
	if at+n > len(data) {
		return 0
	}
	return n
}

// varint returns the integer at a position and its width, which is 0 if there is none: the number
// of zeros at the end of the first byte is that of the bytes that follow.
func varint(data []byte, at int) (uint64, int) {
	n := width(data, at)
	if n == 0 {
		return 0, 0
	}
	var b [8]byte
	if n == 9 {
		return binary.LittleEndian.Uint64(data[at+1 : at+9]), n
	}
	copy(b[:], data[at:at+n])
	return binary.LittleEndian.Uint64(b[:]) >> n, n
}

// encoded returns the bytes of an integer.
func encoded(v uint64) []byte {
	for n := 1; n <= 8; n++ {
		if v < 1<<(7*n) {
			return binary.LittleEndian.AppendUint64(nil, (v<<1|1)<<(n-1))[:n]
		}
	}
	return binary.LittleEndian.AppendUint64([]byte{0}, v)
}

// resize changes the length of a section.
func resize(m *mutator, data, other []byte) []byte {
	all := sections(data)
	if len(all) == 0 {
		return nudge(m, data, other)
	}
	s := pick(m, all)
	size, n := varint(data, s.length)
	size = pick(m, []uint64{0, 1, size - 1, size + 1, size / 2, 2 * size, uint64(len(data)), math.MaxInt32,
		math.MaxInt64, math.MaxUint64})
	return splice(data, s.length, s.length+n, encoded(size)...)
}

func dropSection(m *mutator, data, other []byte) []byte {
	all := sections(data)
	if len(all) == 0 {
		return nudge(m, data, other)
	}
	s := pick(m, all)
	return splice(data, s.start, s.end)
}

func repeatSection(m *mutator, data, other []byte) []byte {
	all := sections(data)
	if len(all) == 0 {
		return nudge(m, data, other)
	}
	from, to := pick(m, all), pick(m, all)
	return splice(data, to.start, to.start, data[from.start:from.end]...)
}
