package mlir

import (
	"bytes"
	"regexp"
)

// The parser verifies what it reads, and some verifiers crash. parseGuard finds in text what
// would crash them; bytecode and artifacts are not searched.
//
// The verifier of stablehlo.all_to_all divides by the number of its replica groups. Its only
// form is the generic one.
var (
	allToAll      = []byte(`"stablehlo.all_to_all"`)
	attributeList = regexp.MustCompile(`^"stablehlo\.all_to_all"\s*\([^()"]*\)\s*<?`)
	closing       = regexp.MustCompile(`^>?\s*`)
	replicaGroups = regexp.MustCompile(`[{,]\s*replica_groups\s*=\s*(` + noElements + `|#[A-Za-z_][\w$.]*)`)
	emptyAlias    = regexp.MustCompile(`(#[A-Za-z_][\w$.]*)\s*=\s*` + noElements)
)

const noElements = `dense<\s*>\s*:\s*tensor<\s*0\s*x`

// A groupSearch searches a text for all_to_all without replica groups.
type groupSearch struct {
	data    []byte
	aliases map[string]bool // of attributes without elements; nil if not searched yet
}

// parseGuard returns an error if the library would crash on a text. name is as for Parse.
func parseGuard(name string, data []byte) error {
	if IsBytecode(data) || !bytes.Contains(data, allToAll) {
		return nil
	}
	s := groupSearch{data: data}
	for at := 0; ; at += len(allToAll) {
		next := bytes.Index(data[at:], allToAll)
		if next < 0 {
			return nil
		}
		at += next
		before := data[max(0, at-maxSearched):at]
		line := before[bytes.LastIndexByte(before, '\n')+1:]
		if bytes.Contains(line, []byte("//")) || !s.emptyGroups(data[at:min(len(data), at+maxSearched)]) {
			continue
		}
		if name == "" {
			name = unnamed
		}
		return &DiagnosticError{Op: "parse", Diagnostics: []Diagnostic{{
			Position: Position{name, 1 + bytes.Count(data[:at], []byte{'\n'}), 1 + len(line)},
			Message:  "'stablehlo.all_to_all' op has no replica groups: the library would crash on it",
		}}}
	}
}

// maxSearched limits how much is searched around each operation, so that the time is linear.
const maxSearched = 1 << 12

// emptyGroups reports whether the all_to_all at the start of a text has no replica groups.
func (s *groupSearch) emptyGroups(text []byte) bool {
	for i := attributeList.FindIndex(text); i != nil; i = closing.FindIndex(text) {
		text = text[i[1]:]
		list, n := dictionary(text)
		if n == 0 {
			return false
		}
		if m := replicaGroups.FindSubmatch(list); m != nil {
			return m[1][0] != '#' || s.isEmpty(string(m[1]))
		}
		text = text[n:]
	}
	return false
}

// isEmpty reports whether an alias is of an attribute without elements.
func (s *groupSearch) isEmpty(alias string) bool {
	if s.aliases == nil {
		s.aliases = map[string]bool{}
		for _, m := range emptyAlias.FindAllSubmatch(s.data, -1) {
			s.aliases[string(m[1])] = true
		}
	}
	return s.aliases[alias]
}

// dictionary returns the dictionary at the start of a text without its strings, except for
// the name of the replica groups in quotes, and its length, or 0 if there is none.
func dictionary(text []byte) (list []byte, length int) {
	if len(text) == 0 || text[0] != '{' {
		return nil, 0
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '"':
			from := i + 1
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if inside := text[from:min(i, len(text))]; string(inside) == "replica_groups" {
				list = append(list, inside...)
			}
			continue
		}
		list = append(list, text[i])
		if depth == 0 {
			return list, i + 1
		}
	}
	return nil, 0
}
