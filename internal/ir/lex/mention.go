package lex

import (
	"bytes"
	"cmp"
	"slices"
)

// Mentioned returns those of the namespaces that a text may name: each that is in front of a dot,
// as in the name of an operation, or between a sign and a bracket, as in !quant<…>, also in strings
// and comments. It is several times faster than Dialects.
func Mentioned(text []byte, namespaces []string) (found []string) {
	last := func(namespace string) byte { return namespace[len(namespace)-1] }
	namespaces = slices.Clone(namespaces)
	slices.SortFunc(namespaces, func(a, b string) int { return cmp.Compare(last(a), last(b)) })
	var from, to [256]uint8 // the range of the namespaces that end with a byte
	for i, namespace := range slices.Backward(namespaces) {
		from[last(namespace)] = uint8(i)
		to[last(namespace)] = max(to[last(namespace)], uint8(i+1))
	}
	add := func(end int) { // of a name
		if end == 0 {
			return
		}
		before := text[end-1]
		for _, namespace := range namespaces[from[before]:to[before]] {
			start := end - len(namespace)
			if start >= 0 && string(text[start:end]) == namespace && !isNamePart(text, start-1) &&
				!slices.Contains(found, namespace) {
				found = append(found, namespace)
			}
		}
	}
	for at := bytes.IndexByte(text, '.'); at >= 0; at = indexAfter(text, '.', at) {
		add(at)
	}
	for _, sign := range []byte{'!', '#'} {
		for at := bytes.IndexByte(text, sign); at >= 0; at = indexAfter(text, sign, at) {
			end := at + 1
			for end < len(text) && IsWord(text[end]) {
				end++
			}
			if end < len(text) && text[end] == '<' {
				add(end)
			}
		}
	}
	return found
}

// Index returns the index of a word in a text, or -1. bytes.Index compares at every byte after it has found a few first
// bytes of the word, which takes several times as long in most texts.
func Index(text []byte, word string) int {
	for at := bytes.IndexByte(text, word[0]); at >= 0; at = indexAfter(text, word[0], at) {
		if bytes.HasPrefix(text[at:], []byte(word)) {
			return at
		}
	}
	return -1
}

// indexAfter returns the index of the next byte b after an index, or -1.
func indexAfter(text []byte, b byte, at int) int {
	next := bytes.IndexByte(text[at+1:], b)
	if next < 0 {
		return -1
	}
	return at + 1 + next
}

// isNamePart reports whether a byte belongs to the part of a name, between dots, that continues
// after it.
func isNamePart(text []byte, at int) bool { return at >= 0 && text[at] != '.' && IsWord(text[at]) }
