package command

import (
	"bytes"

	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// A part is a module in a text.
type part struct {
	line  int // the number of lines before it
	start int // its offset
	data  []byte
}

// splitMarker divides the modules of a text, as it does for mlir-opt -split-input-file.
const splitMarker = "// -----"

// partsOf returns the modules in a text, between lines that consist of the marker.
func partsOf(text []byte) []part {
	var parts []part
	begin, beginLine, line := 0, 0, 0
	for at := 0; at < len(text); line++ {
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		if string(bytes.TrimRight(text[at:end], " \t\r\n")) == splitMarker {
			parts = append(parts, part{beginLine, begin, text[begin:at]})
			begin, beginLine = end, line+1
		}
		at = end
	}
	return append(parts, part{beginLine, begin, text[begin:]})
}

// padded returns the module with its lines before it empty, so that the positions of the
// library are those in the whole text.
func (p part) padded() []byte {
	if p.line == 0 {
		return p.data
	}
	return append(bytes.Repeat([]byte("\n"), p.line), p.data...)
}

// without returns what padded returned, or a text that was made of it, without the empty lines.
func (p part) without(padded []byte) []byte {
	for range p.line {
		_, padded, _ = bytes.Cut(padded, []byte("\n"))
	}
	return padded
}

// place sets the position of a finding that has none in the part: the first line.
func (p part) place(f *report.Finding) {
	if f.Line <= p.line {
		f.Line, f.Column, f.Source = p.line+1, 1, nil
	}
}
