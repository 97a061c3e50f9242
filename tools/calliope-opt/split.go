package main

import "bytes"

// splitMarker begins a line between two modules of one text, as in mlir-opt.
const splitMarker = "// -----"

// split returns the parts of a text between the markers. Each begins with as many empty lines as precede it, so that
// positions are those of the whole text.
func split(text []byte) [][]byte {
	var parts [][]byte
	lines := 0
	part := []byte{}
	for line := range bytes.Lines(text) {
		lines++
		if bytes.HasPrefix(line, []byte(splitMarker)) {
			parts = append(parts, part)
			part = bytes.Repeat([]byte("\n"), lines)
			continue
		}
		part = append(part, line...)
	}
	return append(parts, part)
}
