package report

import (
	"bytes"
	"unicode/utf8"

	"github.com/calliope-mlir/calliope/lint/finding"
)

// ByteOrderMark may be at the start of a text. It is not in the first line.
const ByteOrderMark = "\ufeff"

// AddSources adds the lines of the findings in a text, and the columns in characters.
func AddSources(text []byte, findings []finding.Finding) {
	text = bytes.TrimPrefix(text, []byte(ByteOrderMark))
	lines := map[int][]byte{}
	need := func(line int) { lines[line] = nil }
	for _, f := range findings {
		need(f.Line)
		if f.Fix != nil {
			for _, e := range f.Fix.Edits {
				need(e.Line)
				need(e.EndLine)
			}
		}
	}
	cut(text, lines)
	for i := range findings {
		f := &findings[i]
		if line, ok := lines[f.Line]; ok {
			f.Source = sourceOf(line, f.Column)
		}
		if f.Fix != nil {
			for j := range f.Fix.Edits {
				e := &f.Fix.Edits[j]
				e.Characters = [2]int{character(lines[e.Line], e.Column), character(lines[e.EndLine], e.EndColumn)}
			}
		}
	}
}

// cut sets the lines of a text, and removes those that it does not have.
func cut(text []byte, lines map[int][]byte) {
	missing := len(lines)
	for line := 1; missing > 0; line++ {
		end := bytes.IndexByte(text, '\n')
		last := end < 0
		if last {
			end = len(text)
		}
		if _, ok := lines[line]; ok {
			lines[line] = bytes.TrimSuffix(text[:end:end], []byte("\r"))
			missing--
		}
		if last {
			for l := range lines {
				if l < 1 || l > line {
					delete(lines, l)
				}
			}
			return
		}
		text = text[end+1:]
	}
}

// character returns a column in characters, both from 1.
func character(line []byte, column int) int {
	before := line[:min(max(column, 1)-1, len(line))]
	return column - len(before) + utf8.RuneCount(before)
}

// sourceOf returns the part of a line around a column.
func sourceOf(line []byte, column int) *finding.Source {
	const before, after = 200, 400
	column = min(column, len(line)+1)
	begin := 0
	if column-1 > before {
		begin = column - 1 - before
		for begin < column-1 && !utf8.RuneStart(line[begin]) {
			begin++
		}
	}
	end := min(len(line), column-1+after)
	return &finding.Source{
		Text:      string(bytes.ToValidUTF8(line[begin:end], []byte("?"))),
		Column:    column - begin,
		Character: character(line, column),
	}
}
