package fix

import (
	"cmp"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/mlir"
)

// A source is a text in which statements can be found by the operations that they make.
type source struct {
	text      string
	tokens    []token
	comments  []token
	located   bool                   // operations have locations in the text
	names     map[mlir.Operation]int // the token with the name of each operation
	starts    map[int]mlir.Operation // by the first token of their statements
	module    *mlir.Module           // that was parsed to find the names, or nil
	restore   func(*mlir.Module)     // see lint.Parse
	byNumber  []mlir.Operation       // of this module
	lineStart []int
	refusal   string // why the text of an operation could not be edited
}

// newSource parses a text without its locations, as lint.Parse does, and notes where its operations
// are. It finds none if the text is not valid without them. The context owns the operations.
func newSource(c *mlir.Context, text string, analyzers []*lint.Analyzer) *source {
	s := &source{text: text, names: map[mlir.Operation]int{}, starts: map[int]mlir.Operation{}, lineStart: []int{0}}
	s.tokens, s.comments = scan(s.text)
	blank, located := quick.WithoutLocations([]byte(text))
	s.located = located
	s.module, s.restore, _ = lint.Parse(c, blank, analyzers)
	if s.module == nil {
		return s
	}
	for i := range s.text {
		if s.text[i] == '\n' {
			s.lineStart = append(s.lineStart, i+1)
		}
	}
	taken := map[int]bool{}
	for op := range s.module.Operation().All() {
		s.byNumber = append(s.byNumber, op)
		at, ok := s.nameOf(op)
		if !ok || taken[at] {
			continue
		}
		taken[at] = true
		s.names[op] = at
		s.starts[s.first(at)] = op
	}
	return s
}

// nameOf returns the token at the position of an operation, or before a parenthesis there, if it is
// its name. The parser of stablehlo.reduce takes the position of the parenthesis.
func (s *source) nameOf(op mlir.Operation) (int, bool) {
	p := op.Location().Position()
	if p.Line < 1 || p.Line > len(s.lineStart) {
		return 0, false
	}
	offset := s.lineStart[p.Line-1] + p.Column - 1
	at, ok := slices.BinarySearchFunc(s.tokens, offset,
		func(t token, offset int) int { return cmp.Compare(t.start, offset) })
	if !ok {
		return 0, false
	}
	if s.word(at) == "(" {
		at--
	}
	name := s.word(at)
	_, short, _ := strings.Cut(op.Name(), ".")
	return at, name == op.Name() || name == `"`+op.Name()+`"` || name == short
}

func (s *source) word(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return word(s.text, s.tokens[i])
}

// first returns the first token of the statement whose name is the token i: the name, or the first
// of its results.
func (s *source) first(i int) int {
	if s.word(i-1) != "=" {
		return i
	}
	first := i
	for at := i - 2; at >= 0; at -= 2 { // before each comma
		if s.word(at-1) == ":" && !strings.HasPrefix(s.word(at), "%") { // %x:2, not ^bb0: %x
			at -= 2
		}
		if !strings.HasPrefix(s.word(at), "%") {
			break
		}
		first = at
		if s.word(at-1) != "," {
			break
		}
	}
	return first
}

// A statement is the text of one operation, in tokens.
type statement struct{ first, name, last int }

// statement returns the statement of an operation.
func (s *source) statement(op mlir.Operation) (statement, bool) {
	name, ok := s.names[op]
	if !ok {
		return statement{}, false
	}
	depth, end := 0, name+1
	for ; end < len(s.tokens); end++ {
		w := s.word(end)
		if depth == 0 {
			if other, ok := s.starts[end]; ok && !encloses(op, other) {
				break
			}
			if s.isAssignment(end) {
				break
			}
			if w == "{" && s.word(end+1) == "-" || (w[0] == '#' || w[0] == '!') && len(w) > 1 && s.word(end+1) == "=" ||
				s.isLabel(end) {
				break
			}
		}
		if depth += depthOf(w); depth < 0 {
			break
		}
	}
	return statement{s.first(name), name, end - 1}, true
}

// isAssignment reports whether the results of an operation begin at a token. Some parsers of
// dialects set locations that are not at the name, so the positions do not suffice.
func (s *source) isAssignment(i int) bool {
	for ; strings.HasPrefix(s.word(i), "%"); i += 2 {
		if s.word(i+1) == ":" {
			i += 2
		}
		if s.word(i+1) == "=" {
			name := s.word(i + 2) // not a bound, as in scf.for %i = %a to %b
			return strings.HasPrefix(name, `"`) || strings.Contains(name, ".") && isLetter(name[0]) || name == "call"
		}
		if s.word(i+1) != "," {
			break
		}
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// isLabel reports whether a block begins at a token.
func (s *source) isLabel(i int) bool {
	if !strings.HasPrefix(s.word(i), "^") {
		return false
	}
	if s.word(i+1) == "(" {
		i = matching(s.text, s.tokens, i+1)
	}
	return i >= 0 && s.word(i+1) == ":"
}

// encloses reports whether an operation is in the regions of another one.
func encloses(outer, op mlir.Operation) bool {
	for !op.IsNil() {
		if op = op.Parent(); op == outer {
			return true
		}
	}
	return false
}
