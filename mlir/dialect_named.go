package mlir

import (
	"bytes"
	"slices"
	"strings"
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
		t.add(string(t.text[start:end]))
	}
}

// word reads a name or a number, and the sign before it: types begin with !, attributes with
// #, and an operation with neither. A name before = is that of an attribute.
func (t *textScanner) word() {
	start := t.at
	for t.at < len(t.text) && isWord(t.text[t.at]) {
		t.at++
	}
	name := string(t.text[start:t.at])
	var sign byte
	if start > 0 {
		sign = t.text[start-1]
	}
	switch next := t.next(); {
	case sign == '@' || sign == '%' || sign == '^':
	case sign == '!' || sign == '#':
		if next == '<' || strings.Contains(name, ".") {
			t.add(name + ".")
		}
	case next == '=':
	default:
		t.add(name)
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

// add adds the namespace of a name that has one.
func (t *textScanner) add(name string) {
	namespace, _, ok := strings.Cut(name, ".")
	if ok && namespace != "" && !('0' <= namespace[0] && namespace[0] <= '9') {
		t.found[namespace] = true
	}
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '.' || b == '$'
}
