package lsp

import (
	"sort"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// A text is one version of a document. Its data are valid UTF-8, because they were JSON.
type text struct {
	data  string
	lines []int // where the lines of the protocol begin: they end at \n, \r\n or \r
	rows  []int // where the lines of reports begin: they end at \n
}

func newText(data string) text {
	t := text{data, []int{0}, []int{0}}
	for i := range len(data) {
		switch {
		case data[i] == '\n':
			t.lines, t.rows = append(t.lines, i+1), append(t.rows, i+1)
		case data[i] == '\r' && (i+1 == len(data) || data[i+1] != '\n'):
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// An encoding is what the characters of positions count.
type encoding string

const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
)

// line returns where a line begins and ends, without its end of line.
func (t text) line(i int) (begin, end int) {
	begin, end = t.lines[i], len(t.data)
	if i+1 < len(t.lines) {
		end = t.lines[i+1]
	}
	for end > begin && (t.data[end-1] == '\n' || t.data[end-1] == '\r') {
		end--
	}
	return begin, end
}

// offset returns the place of a position. A character behind the end of the line is its end, as the
// protocol says, a line behind the last one is the end of the text, and a character within a pair of units is the
// begin of the pair.
func (t text) offset(p position, e encoding) int {
	if int64(p.Line) >= int64(len(t.lines)) {
		return len(t.data)
	}
	at, end := t.line(int(p.Line))
	for left := int64(p.Character); at < end; {
		r, size := utf8.DecodeRuneInString(t.data[at:end])
		if left -= int64(e.units(r)); left < 0 {
			break
		}
		at += size
	}
	return at
}

// units returns the length of a character.
func (e encoding) units(r rune) int {
	if e == utf8Units {
		return utf8.RuneLen(r)
	}
	return utf16.RuneLen(r)
}

// position returns the position of a place.
func (t text) position(offset int, e encoding) position {
	line := sort.SearchInts(t.lines, offset+1) - 1
	begin, end := t.line(line)
	units := 0
	for _, r := range t.data[begin:min(offset, end)] {
		units += e.units(r)
	}
	return position{uint32(line), uint32(units)}
}

// place returns the place of a line and a column of a report, or the nearest one.
func (t text) place(line, column int) int {
	if line < 1 {
		return 0
	}
	if line > len(t.rows) {
		return len(t.data)
	}
	end := len(t.data)
	if line < len(t.rows) {
		end = t.rows[line] - 1
	}
	return min(t.rows[line-1]+max(column, 1)-1, end)
}

// replace returns the text with a part replaced. The part of a range that ends before it begins is what is between.
func (t text) replace(r span, e encoding, with string) text {
	begin, end := t.offset(r.Start, e), t.offset(r.End, e)
	return newText(t.data[:min(begin, end)] + with + t.data[max(begin, end):])
}

// span returns the range of a part.
func (t text) span(begin, end int, e encoding) span {
	return span{t.position(begin, e), t.position(end, e)}
}

// word matches a name, a string, or one character.
var word = lazyregexp.New(`^(?:"(?:[^"\\]|\\.)*"|[%@#!^]?[\w$.]+|.)`)

// wordAt returns the range of the word at a place.
func (t text) wordAt(offset int, e encoding) span {
	start := t.position(offset, e)
	_, end := t.line(int(start.Line))
	if offset >= end {
		return span{start, start}
	}
	return t.span(offset, offset+len(word().FindString(t.data[offset:end])), e)
}
