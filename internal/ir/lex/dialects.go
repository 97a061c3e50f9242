package lex

import "bytes"

// Dialects returns the namespaces of the dialects that a text names. There may be too many, because only a parser knows
// what a word is, and none that merely occur in strings, comments, symbols and names of attributes.
func Dialects(text []byte) map[string]bool {
	found := map[string]bool{}
	add := func(start, dot int) {
		if dot > start && class[text[start]]&isDigit == 0 && !found[string(text[start:dot])] {
			found[string(text[start:dot])] = true
		}
	}
	for t := Piece(text, 0); t.Kind != End; t = Piece(text, t.End) {
		start := t.Start
		switch t.Kind {
		case String, Attribute, Type:
			start++
		case Word:
		default:
			continue
		}
		dot := start + bytes.IndexByte(text[start:t.End], '.')
		switch dotted := dot >= start; t.Kind {
		case String: // before a parenthesis it is the name of an operation in the generic form
			if dotted && after(text, t.End) == '(' {
				add(start, dot)
			}
		case Word: // before = it is the name of an attribute
			if dotted && after(text, t.End) != '=' {
				add(start, dot)
			}
		default:
			if !dotted && after(text, t.End) == '<' {
				dot = t.End
			}
			if dot > start && bytes.IndexByte(text[start:dot], '-') < 0 { // only aliases have one
				add(start, dot)
			}
		}
	}
	return found
}

// after returns the first byte from i on that is not space, or 0.
func after(text []byte, i int) byte {
	if i = skipClass(text, i, isSpace); i < len(text) {
		return text[i]
	}
	return 0
}
