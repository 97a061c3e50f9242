package quick

import (
	"cmp"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// location returns the position in the location at until, loc(…), if there is one.
func (s *scanner) location() position {
	t := lex.Next(s.text, s.until)
	if t.Kind != lex.Word || string(s.text[t.Start:t.End]) != "loc" {
		return position{}
	}
	if t = lex.Next(s.text, t.End); t.Kind != '(' {
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
func (s *scanner) positionIn(t lex.Token, nested int) (position, int) {
	depth := 0
	for ; ; t = lex.Next(s.text, t.End) {
		switch t.Kind {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return position{}, t.End
			}
		case lex.String:
			if at, ok := s.fileLineColumn(t); ok {
				return at, t.End
			}
		case lex.Attribute:
			if at := s.alias(string(s.text[t.Start+1:t.End]), nested+1); at.known {
				return at, t.End
			}
		case lex.End, lex.Bad:
			s.err = s.fail(t.Start, "the location does not end")
			return position{}, t.Start
		}
	}
}

// fileLineColumn returns the position "file":line:column whose string is t.
func (s *scanner) fileLineColumn(t lex.Token) (at position, ok bool) {
	at = position{file: string(lex.Unescape(s.text[t.Start+1 : t.End-1])), known: true}
	for _, n := range []*int{&at.line, &at.column} {
		colon := lex.Next(s.text, t.End)
		if colon.Kind != ':' {
			return at, false
		}
		if t = lex.Next(s.text, colon.End); t.Kind != lex.Number {
			return at, false
		}
		if *n, ok = integer(s.text[t.Start:t.End]); !ok {
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
	switch t := lex.Next(s.text, value); {
	case t.Kind == lex.Attribute:
		at = s.alias(string(s.text[t.Start+1:t.End]), nested+1)
	case t.Kind == lex.Word && string(s.text[t.Start:t.End]) == "loc":
		if t = lex.Next(s.text, t.End); t.Kind == '(' {
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
		if i = lex.SkipPlain(text, i); i >= len(text) {
			break
		}
		end := i + 1
		switch text[i] {
		case '"':
			if end, _ = lex.SkipString(text, i); end < 0 {
				return aliases
			}
		case '/':
			if end < len(text) && text[end] == '/' {
				end = lex.SkipComment(text, i)
			}
		case '{':
			if over, is := lex.SkipMetadata(text, i); is {
				end = over
			}
		default:
			var body bool
			end, body = lex.SkipPrefixed(text, i)
			if text[i] == '#' && end > 0 && !body {
				if equal := lex.SkipSpace(text, end); equal < len(text) && text[equal] == '=' {
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
