// Package parts divides a text with several modules.
package parts

import "bytes"

// Marker begins a line between two modules of one text, as for mlir-opt -split-input-file.
const Marker = "// -----"

// A Part is a module in a text.
type Part struct {
	Line  int // the number of lines before it
	Start int // its offset
	Data  []byte
}

// Of returns the modules in a text, between the lines that begin with Marker, after any indentation.
func Of(text []byte) (list []Part) {
	var p Part
	line, at := 0, 0
	for l := range bytes.Lines(text) {
		line++
		rest, marked := bytes.CutPrefix(bytes.TrimLeft(l, " \t"), []byte(Marker))
		if marked && !bytes.HasPrefix(rest, []byte("-")) {
			p.Data = text[p.Start:at]
			list, p = append(list, p), Part{Line: line, Start: at + len(l)}
		}
		at += len(l)
	}
	p.Data = text[p.Start:]
	return append(list, p)
}

// Padded returns the module with its lines before it empty, so that positions are those in the whole text.
func (p Part) Padded() []byte {
	if p.Line == 0 {
		return p.Data
	}
	return append(bytes.Repeat([]byte("\n"), p.Line), p.Data...)
}

// Unpadded returns what Padded returned, or a text that was made of it, without the empty lines.
func (p Part) Unpadded(padded []byte) []byte {
	for range p.Line {
		_, padded, _ = bytes.Cut(padded, []byte("\n"))
	}
	return padded
}
