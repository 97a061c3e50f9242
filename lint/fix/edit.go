package fix

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// An Edit replaces the bytes from Start to End of a text.
type Edit struct {
	Start, End int
	Text       string
}

// edits returns the edits that make the changes, by the numbers of operations from 1, in the order
// of the text. It returns false if one of the changes has no place in the text.
func (s *source) edits(changes map[int]change) ([]Edit, bool) {
	var edits []Edit
	for _, number := range slices.Sorted(maps.Keys(changes)) {
		if number < 1 || number > len(s.byNumber) {
			return nil, false
		}
		op := s.byNumber[number-1]
		of, ok := s.statement(op)
		if !ok {
			s.refuse(op, noText)
			return nil, false
		}
		if changes[number].erase {
			edits = append(edits, s.erase(of))
			continue
		}
		own, ok := s.attributes(op, of, changes[number])
		if !ok {
			s.refuse(op, "is written in a form without a place for its attributes")
			return nil, false
		}
		edits = append(edits, own...)
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	for i := 1; i < len(edits); i++ {
		if edits[i].Start < edits[i-1].End {
			return nil, false // one operation is in the text of another
		}
	}
	return edits, true
}

const noText = "has no text of its own"

// refuse records why the text of an operation cannot be edited, unless another one was first.
func (s *source) refuse(op mlir.Operation, why string) {
	if s.refusal != "" {
		return
	}
	where := ""
	if p := op.Location().Position(); p.File == "-" {
		where = fmt.Sprintf(" in line %d, column %d,", p.Line, p.Column)
	}
	s.refusal = op.Name() + where + " " + why
}

// edited returns the text after edits.
func (s *source) edited(edits []Edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(s.text[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	b.WriteString(s.text[at:])
	return b.String()
}

// erase removes a statement, with its line if nothing else is on it.
func (s *source) erase(of statement) Edit {
	start, end := s.tokens[of.first].start, s.tokens[of.last].end
	for end < len(s.text) && (s.text[end] == ' ' || s.text[end] == '\t') {
		end++
	}
	line := start
	for line > 0 && (s.text[line-1] == ' ' || s.text[line-1] == '\t') {
		line--
	}
	rest := s.text[end:]
	if line > 0 && s.text[line-1] != '\n' || rest != "" && rest[0] != '\n' && !strings.HasPrefix(rest, "\r\n") {
		return Edit{Start: start, End: end}
	}
	end += strings.IndexByte(rest, '\n') + 1
	if !strings.Contains(rest, "\n") {
		end = len(s.text)
	}
	return Edit{Start: line, End: end}
}

// attributes returns the edits that change the attributes of an operation.
func (s *source) attributes(op mlir.Operation, of statement, c change) ([]Edit, bool) {
	if strings.HasPrefix(s.word(of.name), `"`) {
		return s.generic(op, of, c)
	}
	return s.custom(op, of, c)
}

// generic edits the generic form:
//
//	"name"(operands)[successors] <{properties}> ({regions}) {attributes} : type
func (s *source) generic(op mlir.Operation, of statement, c change) ([]Edit, bool) {
	at := of.name + 1
	skip := func(open string) bool {
		if s.word(at) != open {
			return true
		}
		end := matching(s.text, s.tokens, at)
		at = end + 1
		return end >= 0 && end <= of.last
	}
	if s.word(at) != "(" || !skip("(") || !skip("[") {
		return nil, false
	}
	var properties, attributes *dictionary
	read := func(i int) *dictionary {
		d, ok := s.dictionary(i)
		if !ok {
			return nil
		}
		return &d
	}
	if s.word(at) == "<" {
		if properties = read(at + 1); properties == nil || !skip("<") {
			return nil, false
		}
	}
	if !skip("(") {
		return nil, false
	}
	if s.word(at) == "{" {
		if attributes = read(at); attributes == nil || !skip("{") {
			return nil, false
		}
	}
	if s.word(at) != ":" {
		return nil, false
	}
	inProperties, inAttributes := c, c
	inProperties.set, inAttributes.set = map[string]string{}, map[string]string{}
	for name, value := range c.set {
		if properties != nil && op.HasInherent(name) {
			inProperties.set[name] = value
		} else {
			inAttributes.set[name] = value
		}
	}
	var edits []Edit
	if properties != nil {
		edits = append(edits, s.change(*properties, inProperties, false)...)
	}
	if attributes != nil {
		edits = append(edits, s.change(*attributes, inAttributes, true)...)
	} else if len(inAttributes.set) > 0 {
		edits = append(edits, s.insert(at-1, " {"+list(inAttributes.set)+"}"))
	}
	return edits, true
}

// custom edits the form of a dialect. It has a dictionary of attributes before the type, or at
// the end if there is none, unless it has regions.
func (s *source) custom(op mlir.Operation, of statement, c change) ([]Edit, bool) {
	if op.NumRegions() > 0 {
		return s.customWithRegions(of, c)
	}
	found, colon, end := -1, -1, of.last
	depth := 0
	for i := of.name + 1; i <= of.last; i++ {
		w := s.word(i)
		if depth == 0 {
			switch {
			case w == "loc" && s.word(i+1) == "(":
				end = i - 1
			case w == ":":
				colon = i
			case colon < 0 && s.isDictionary(i):
				found = i
			}
			if end < i {
				break
			}
		}
		depth += depthOf(w)
	}
	if found >= 0 {
		d, ok := s.dictionary(found)
		return s.change(d, c, true), ok
	}
	switch {
	case dictionaryFirst[op.Name()]:
		end = of.name
	case colon > 0:
		end = colon - 1
	}
	if len(c.set) == 0 {
		return nil, true
	}
	return []Edit{s.insert(end, " {"+list(c.set)+"}")}, true
}

// dictionaryFirst has operations whose own form has the dictionary after the name.
var dictionaryFirst = map[string]bool{"func.return": true, "stablehlo.constant": true}

// customWithRegions edits "attributes {…}", as functions and modules have it.
func (s *source) customWithRegions(of statement, c change) ([]Edit, bool) {
	depth := 0
	for i := of.name + 1; i <= of.last; i++ {
		if w := s.word(i); depth == 0 {
			if w == "attributes" && s.word(i+1) == "{" {
				d, ok := s.dictionary(i + 1)
				return s.change(d, c, true), ok
			}
			if w == "{" && len(c.set) > 0 {
				return []Edit{s.insert(i-1, " attributes {"+list(c.set)+"}")}, true
			}
		}
		depth += depthOf(s.word(i))
	}
	return nil, len(c.set) == 0
}

// insert adds text after a token.
func (s *source) insert(after int, text string) Edit {
	return Edit{s.tokens[after].end, s.tokens[after].end, text}
}
