package mlir

import (
	"bytes"
	"slices"
)

// DialectsOf returns the namespaces of the dialects that a module names, sorted: text, or
// bytecode, which lists them. The list of a text may have too many, because only a parser
// knows what a word is, and has none that merely occur in strings, comments, symbols and
// names of attributes. DialectsOf does not check the module and loads no library.
func DialectsOf(source []byte) []string {
	found := map[string]bool{}
	if IsBytecode(source) {
		for _, name := range bytecodeDialects(source) {
			found[name] = true
		}
	} else {
		t := textScanner{text: source, found: found}
		t.scan()
	}
	var names []string
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// A textScanner finds the names of operations, types and attributes in a text.
type textScanner struct {
	text  []byte
	at    int
	found map[string]bool
}

func (t *textScanner) scan() {
	for t.at < len(t.text) {
		switch b := t.text[t.at]; {
		case b == '"':
			t.quoted()
		case b == '/' && bytes.HasPrefix(t.text[t.at:], []byte("//")):
			end := bytes.IndexByte(t.text[t.at:], '\n')
			if end < 0 {
				return
			}
			t.at += end
		case isWord(b):
			t.word()
		default:
			t.at++
		}
	}
}

// quoted reads a string. Before a parenthesis it is the name of an operation in the generic
// form.
func (t *textScanner) quoted() {
	start := t.at + 1
	for t.at = start; t.at < len(t.text) && t.text[t.at] != '"'; t.at++ {
		if t.text[t.at] == '\\' {
			t.at++
		}
	}
	end := min(t.at, len(t.text))
	t.at++
	if t.next() == '(' {
		if dot := bytes.IndexByte(t.text[start:end], '.'); dot >= 0 {
			t.addNamespace(start, start+dot)
		}
	}
}

// word reads a name or a number, and the sign before it: types begin with !, attributes with
// #, and an operation with neither. A name before = is that of an attribute.
func (t *textScanner) word() {
	start, dot := t.at, -1
	for ; t.at < len(t.text) && isWord(t.text[t.at]); t.at++ {
		if t.text[t.at] == '.' && dot < 0 {
			dot = t.at
		}
	}
	var sign byte
	if start > 0 {
		sign = t.text[start-1]
	}
	switch {
	case sign == '@' || sign == '%' || sign == '^':
	case sign == '!' || sign == '#':
		if dot < 0 && t.next() == '<' {
			dot = t.at
		}
		t.addNamespace(start, dot)
	case dot >= 0 && t.next() != '=':
		t.addNamespace(start, dot)
	}
}

// next returns the next character that is not a space, or 0.
func (t *textScanner) next() byte {
	for _, b := range t.text[min(t.at, len(t.text)):] {
		if b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			return b
		}
	}
	return 0
}

// addNamespace adds the namespace from start to the dot, unless there is no dot, or the
// namespace is empty or a number. Nearly all have been found before.
func (t *textScanner) addNamespace(start, dot int) {
	if dot <= start || '0' <= t.text[start] && t.text[start] <= '9' {
		return
	}
	if namespace := t.text[start:dot]; !t.found[string(namespace)] {
		t.found[string(namespace)] = true
	}
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '.' || b == '$'
}
