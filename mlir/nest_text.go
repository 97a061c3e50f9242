package mlir

import (
	"bytes"
	"strings"
)

// text calls operation, open and close for the operations in a text. It takes each word with a dot for the name of an
// operation, unless it belongs to an attribute or a type.
func (n *nesting) text(data []byte) {
	var isRegion []bool // of the open braces
	var before byte     // the last byte that is no space, or 'a' for a word, or 'd' for the word "attributes"
	for at := 0; at < len(data); {
		b := data[at]
		switch {
		case b == '/' && bytes.HasPrefix(data[at:], []byte("//")):
			line := bytes.IndexByte(data[at:], '\n')
			if line < 0 {
				return
			}
			at += line
		case b == '"':
			end := at + stringEnd(data[at:])
			// A location has strings before parentheses, too, but after other ones.
			if end < len(data) && data[end] == '(' && !bytes.ContainsRune([]byte("([,<"), rune(before)) {
				n.operation(nestOperation{string(data[at+1 : end-1]), at, false})
			}
			at, before = end, '"'
		case b == '{':
			// Attributes follow the operands or the regions of an operation in generic form.
			generic := !n.frames[len(n.frames)-1].last.plain
			region := before != '<' && before != '=' && before != 'd' && (before != ')' || !generic)
			n.open()
			isRegion = append(isRegion, region)
			at, before = at+1, b
		case b == '}':
			if last := len(isRegion) - 1; last >= 0 {
				n.close(isRegion[last])
				isRegion = isRegion[:last]
			}
			at, before = at+1, b
		case b == '%' || b == '@' || b == '^' || b == '#' || b == '!':
			for at++; at < len(data) && isWord(data[at]); at++ {
			}
			before = 'v'
		case isWord(b):
			end := at
			for end < len(data) && isWord(data[end]) {
				end++
			}
			word := string(data[at:end])
			inRegion := len(isRegion) == 0 || isRegion[len(isRegion)-1]
			named := word == "module" || strings.Contains(word, ".") && (b < '0' || b > '9')
			if named && inRegion && !bytes.ContainsRune([]byte("([,<"), rune(before)) {
				n.operation(nestOperation{word, at, true})
			}
			at, before = end, 'a'
			if word == "attributes" {
				before = 'd'
			}
		default:
			if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
				before = b
			}
			at++
		}
	}
}

// stringEnd returns the length of the string at the start of a text.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
