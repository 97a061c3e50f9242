// Package retext rewrites a text in places, so that what a library says about the new text can be said about the old
// one.
package retext

import (
	"bytes"
	"slices"
)

// An Edit puts a text in the place of some bytes.
type Edit struct {
	at, n int
	text  string
}

// Put returns an edit of n bytes.
func Put(at, n int, text string) Edit { return Edit{at, n, text} }

// A Text is a text with edits. Every line of it stays in its place, so the new text of an edit has as many lines as the
// old one.
type Text struct {
	old   []byte
	edits []Edit // in the order of the text
	lines []int  // where they start
}

// New returns a text with edits, which do not overlap. Those at the same place are done in the order of the list.
func New(text []byte, edits []Edit) *Text {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.at - b.at })
	t := &Text{old: text, edits: edits, lines: []int{0}}
	for i, b := range text {
		if b == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// Bytes returns the new text.
func (t *Text) Bytes() []byte {
	var b bytes.Buffer
	at := 0
	for _, e := range t.edits {
		b.Write(t.old[at:e.at])
		b.WriteString(e.text)
		at = e.at + e.n
	}
	b.Write(t.old[at:])
	return b.Bytes()
}

// Column returns the column in the old text of what is in a line and column of the new one, both from 1.
func (t *Text) Column(line, column int) int {
	if line < 1 || line > len(t.lines) {
		return column
	}
	start := t.lines[line-1]
	at := start + column - 1
	first, _ := slices.BinarySearchFunc(t.edits, start, func(e Edit, start int) int { return e.at - start })
	for _, e := range t.edits[first:] {
		if at < e.at {
			break
		}
		if at < e.at+len(e.text) { // in the new text
			at = e.at
			break
		}
		at += e.n - len(e.text)
	}
	return at - start + 1
}
