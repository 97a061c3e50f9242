package quick

import (
	"cmp"

	"github.com/calliope-mlir/calliope/lint/finding"
)

// location returns the position in the location at until, loc(…), if there is one.
func (s *scanner) location() position {
	t := next(s.text, s.until)
	if t.kind != bareID || string(s.text[t.start:t.end]) != "loc" {
		return position{}
	}
	if t = next(s.text, t.end); t.kind != '(' {
		return position{}
	}
	at, end := s.positionIn(t, 0)
	s.until = end
	at.known = true
	return at
}

// maxAliases is how deep aliases of locations may be nested.
const maxAliases = 10_000

// positionIn returns the first file:line:column in the parentheses that start at t. Aliases
// are part of them. The position is not known if there is none. The second result is how far
// the text was read.
func (s *scanner) positionIn(t token, nested int) (position, int) {
	depth := 0
	for ; ; t = next(s.text, t.end) {
		switch t.kind {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return position{}, t.end
			}
		case stringKind:
			if at, ok := s.fileLineColumn(t); ok {
				return at, t.end
			}
		case attrKind:
			if at := s.alias(string(s.text[t.start+1:t.end]), nested+1); at.known {
				return at, t.end
			}
		case endOfText, badToken:
			s.err = s.fail(t.start, "the location does not end")
			return position{}, t.start
		}
	}
}

// fileLineColumn returns the position "file":line:column whose string is t.
func (s *scanner) fileLineColumn(t token) (at position, ok bool) {
	at = position{file: string(unescape(s.text[t.start+1 : t.end-1])), known: true}
	for _, n := range []*int{&at.line, &at.column} {
		colon := next(s.text, t.end)
		if colon.kind != ':' {
			return at, false
		}
		if t = next(s.text, colon.end); t.kind != numberKind {
			return at, false
		}
		if *n, ok = integer(s.text[t.start:t.end]); !ok {
			return at, false
		}
	}
	at.file = cmp.Or(at.file, finding.TextName) // as MLIR does
	return at, true
}

// alias returns the position in the value of an alias of an attribute. It may be defined after
// its use.
func (s *scanner) alias(name string, nested int) position {
	if s.aliases == nil {
		s.aliases, s.resolved = findAliases(s.text), map[string]position{}
	}
	if at, ok := s.resolved[name]; ok {
		return at
	}
	if nested > maxAliases {
		s.err = &Error{1, 1, "its locations are nested too deeply: it needs the full engine, without -quick"}
		return position{}
	}
	s.resolved[name] = position{} // ends a cycle
	value, ok := s.aliases[name]
	if !ok {
		return position{}
	}
	var at position
	switch t := next(s.text, value); {
	case t.kind == attrKind:
		at = s.alias(string(s.text[t.start+1:t.end]), nested+1)
	case t.kind == bareID && string(s.text[t.start:t.end]) == "loc":
		if t = next(s.text, t.end); t.kind == '(' {
			at, _ = s.positionIn(t, nested)
		}
	}
	s.resolved[name] = at
	return at
}

// findAliases returns the positions of the values of the aliases #name = … in a text.
func findAliases(text []byte) map[string]int {
	aliases := map[string]int{}
	for i := 0; i < len(text); {
		for i < len(text) && class[text[i]]&isSpecial == 0 {
			i++
		}
		if i >= len(text) {
			break
		}
		end := i + 1
		switch text[i] {
		case '"':
			if end, _ = skipString(text, i); end < 0 {
				return aliases
			}
		case '/':
			if end < len(text) && text[end] == '/' {
				end = skipComment(text, i)
			}
		case '{':
			if over, is := skipMetadata(text, i); is {
				end = over
			}
		default:
			var body bool
			end, body = skipPrefixed(text, i)
			if text[i] == '#' && end > 0 && !body {
				if equal := skipSpace(text, end); equal < len(text) && text[equal] == '=' {
					aliases[string(text[i+1:end])] = equal + 1
				}
			}
		}
		if end < 0 {
			break
		}
		i = end
	}
	return aliases
}
