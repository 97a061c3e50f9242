package quick

import (
	"bytes"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
)

// A scanner searches one text.
//
// Most of a text is irrelevant. The scanner looks only for what may contain any bytes:
// strings, comments, bodies of attributes and types, and resources. A name that is in none of
// them may be that of an operation; what follows it decides.
type scanner struct {
	text  []byte
	found []operation
	// names are the positions of parts of names that may be those of operations.
	names []int
	// known is a position at the start of a token, not after the current one.
	known int
	// line is the number of lines before counted, and lineStart the start of its line.
	line, lineStart, counted int
	lexed                    int // the end of the last token that words read
	// until is the end of what was read after the name of an operation. It contains no
	// operations.
	until    int
	aliases  map[string]int // the positions of their values; nil before they are needed
	resolved map[string]position
	err      error
}

func scanText(text []byte) ([]operation, error) {
	s := &scanner{text: text, names: names(text)}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		s.lineStart = len("\ufeff") // a byte order mark has no columns
	}
	last := len(text)
	if bytes.IndexByte(text, '\\') < 0 {
		if len(s.names) == 0 {
			return nil, nil
		}
		last = s.names[len(s.names)-1]
	}
	err := s.scan(last)
	return s.found, err
}

// names returns the positions of "feed" and "_token" in all names to find: parts that begin with a rare byte, whose
// search is fast.
func names(text []byte) (list []int) {
	add := func(part string, before ...string) {
		for at := 0; ; at += len(part) {
			n := bytes.Index(text[at:], []byte(part))
			if n < 0 {
				return
			}
			at += n
			if slices.ContainsFunc(before, func(b string) bool { return bytes.HasSuffix(text[:at], []byte(b)) }) {
				list = append(list, at)
			}
		}
	}
	add("feed", "out", "in")
	add("_token", "create")
	slices.Sort(list)
	return list
}

// scan searches the text up to the last position where a name may be.
func (s *scanner) scan(last int) error {
	text := s.text
	for i := 0; i <= last; {
		from := i
		i = lex.SkipPlain(text, i)
		if s.words(from, i); s.err != nil || i >= len(text) {
			return s.err
		}
		end := i + 1
		switch text[i] {
		case '"':
			var escapes bool
			if end, escapes = lex.SkipString(text, i); end < 0 {
				return s.fail(i, "the string does not end on its line, or has an unknown escape")
			}
			if s.str(i, end, escapes); s.err != nil {
				return s.err
			}
			s.known = end
		case '/':
			if i+1 < len(text) && text[i+1] == '/' {
				end = lex.SkipComment(text, i)
			}
		case '{':
			var is bool
			if end, is = lex.SkipMetadata(text, i); end < 0 {
				return s.fail(i, "the resources do not end")
			} else if !is {
				end++
			}
		default:
			var body bool
			if end, body = lex.SkipPrefixed(text, i); end < 0 {
				return s.fail(i, "the brackets of the attribute or type do not match")
			}
			if body {
				s.known = end
			}
		}
		s.drop(end)
		i = end
	}
	return nil
}

func (s *scanner) fail(i int, message string) error {
	before := s.text[:i]
	return &Error{bytes.Count(before, []byte{'\n'}) + 1, i - bytes.LastIndexByte(before, '\n'), message}
}

// drop forgets the names before a position.
func (s *scanner) drop(end int) {
	for len(s.names) > 0 && s.names[0] < end {
		s.names = s.names[1:]
	}
}

// place returns the line and column of a position. Positions must ascend.
func (s *scanner) place(i int) (line, column int) {
	passed := s.text[s.counted:i]
	if n := bytes.Count(passed, []byte{'\n'}); n > 0 {
		s.line += n
		s.lineStart = s.counted + bytes.LastIndexByte(passed, '\n') + 1
	}
	s.counted = i
	return s.line + 1, i - s.lineStart + 1
}

// words searches a text without strings and the like for names of operations.
func (s *scanner) words(from, to int) {
	for len(s.names) > 0 && s.names[0] < to && s.err == nil {
		at := s.names[0]
		s.names = s.names[1:]
		if at < s.lexed {
			continue
		}
		// The name and what is before it up to the start of the token, or of several tokens.
		start := at
		for start > max(from, s.lexed) && lex.IsNamePart(s.text[start-1]) {
			start--
		}
		if start > s.lexed && bytes.IndexByte([]byte("%^#!@"), s.text[start-1]) >= 0 {
			start--
		}
		t := lex.Next(s.text, start)
		for t.End <= at && t.Kind != lex.End {
			t = lex.Next(s.text, t.End)
		}
		s.lexed = t.End
		if t.Kind != lex.Word || t.Start > at {
			continue
		}
		if name, rule, ok := ruleOf(s.text[t.Start:t.End]); ok && t.Start >= s.until && s.customForm(t.End) {
			s.add(name, rule, t.Start)
		}
	}
}

// customForm reads the rest of an operation whose name ends at i, without its location, and
// reports whether the name is that of an operation. A name before {…} and a type is one: the
// name of an attribute has neither.
func (s *scanner) customForm(i int) bool {
	t := lex.Next(s.text, i)
	if t.Kind == '{' {
		if t = s.afterBrackets(t); s.err == nil && t.Kind != ':' {
			s.unknown(i)
		}
	}
	if s.err != nil || t.Kind != ':' {
		return false
	}
	s.afterType(t.End)
	return s.err == nil
}

// str checks a string.
func (s *scanner) str(start, end int, escapes bool) {
	if start < s.until || !escapes && (len(s.names) == 0 || s.names[0] >= end) {
		return
	}
	name := s.text[start+1 : end-1]
	if escapes {
		if len(name) > 3*64 {
			return // longer than any name
		}
		name = lex.Unescape(name)
	}
	full, rule, ok := ruleOf(name)
	if !ok || start > 0 && s.text[start-1] == '@' {
		return
	}
	if s.genericForm(start, end) {
		s.add(full, rule, start)
	}
}

// genericForm reads the rest of an operation in the generic form whose name is at start, without
// its location. It reports whether it is an operation, and not an attribute, a key or a location.
func (s *scanner) genericForm(start, end int) bool {
	t := lex.Next(s.text, end)
	if t.Kind != '(' {
		return false
	}
	t = lex.Next(s.text, t.End)
	for ; t.Kind == lex.Value || t.Kind == lex.Attribute || t.Kind == ','; t = lex.Next(s.text, t.End) {
		// Operands: %a, %b#1. A location has a string there: "name"("file":1:2).
	}
	if t.Kind != ')' || s.isArgument(start) {
		return false
	}
	// Successors, properties and attributes. The operations have no regions.
	brackets := false
	for t = lex.Next(s.text, t.End); t.Kind == '[' || t.Kind == '<' || t.Kind == '{'; brackets = true {
		if t = s.afterBrackets(t); s.err != nil {
			return false
		}
	}
	if t.Kind != ':' {
		if brackets {
			s.unknown(end)
		}
		return false
	}
	s.afterType(t.End)
	return s.err == nil
}

// unknown records that the text after a name of an operation is of an unknown form. Without
// this, text in brackets would be read again and again.
func (s *scanner) unknown(i int) {
	s.err = s.fail(i, "the text after the name of the operation has an unknown form: it needs the full engine, without -quick")
}

// afterBrackets returns the token after the brackets that t opens.
func (s *scanner) afterBrackets(t lex.Token) lex.Token {
	end := lex.SkipBalanced(s.text, t)
	if end < 0 {
		s.err = s.fail(t.Start, "the bracket is not closed")
		return lex.Token{Kind: lex.End, Start: len(s.text), End: len(s.text)}
	}
	return lex.Next(s.text, end)
}

// takesName are the operations that have a string and arguments in parentheses after their own
// name, so that the string looks like the name of an operation.
var takesName = []string{
	"emitc.call_opaque",
	"llvm.call_intrinsic",
	"pdl.apply_native_constraint", "pdl.apply_native_rewrite", "pdl.operation",
	"pdl_interp.apply_constraint", "pdl_interp.apply_rewrite", "pdl_interp.create_operation",
	"torch.operator",
}

// isArgument reports whether the string at i is an argument of another operation.
func (s *scanner) isArgument(i int) bool {
	line := s.text[s.known:i]
	line = bytes.TrimRight(line[bytes.LastIndexByte(line, '\n')+1:], " ")
	if bytes.HasSuffix(line, []byte("=")) && !bytes.Contains(line, []byte("//")) {
		return false // the usual case: %0 = "…"
	}
	var before lex.Token
	for t := lex.Next(s.text, s.known); t.Start < i && t.Kind != lex.End; t = lex.Next(s.text, t.End) {
		before = t
	}
	if before.Kind != lex.Word {
		return false
	}
	name := string(s.text[before.Start:before.End])
	return slices.ContainsFunc(takesName, func(n string) bool {
		// Inside of some operations, the prefix of a dialect may be omitted.
		_, short, _ := strings.Cut(n, ".")
		return n == name || short == name
	})
}

// afterType reads the type at i. The scan goes on after it, or after its start if it is not a
// type.
func (s *scanner) afterType(i int) {
	s.until = i
	t := lex.Next(s.text, i)
	if t.Kind == '(' {
		t = s.afterBrackets(t)
		if s.until = t.Start; t.Kind != lex.Arrow {
			return
		}
		if t = lex.Next(s.text, t.End); t.Kind == '(' {
			s.until = s.afterBrackets(t).Start
			return
		}
	}
	switch t.Kind {
	case lex.Type:
		s.until = t.End
	case lex.Word:
		s.until = t.End
		if less := lex.Next(s.text, t.End); less.Kind == '<' {
			s.until = s.afterBrackets(less).Start
		}
	}
}

// add records an operation whose name is at start and whose text ends at until, where its
// location may be.
func (s *scanner) add(name string, rule, start int) {
	op := operation{name: name, rule: rule}
	op.line, op.column = s.place(start)
	op.stated = s.location()
	s.found = append(s.found, op)
}
