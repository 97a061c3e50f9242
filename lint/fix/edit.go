package fix

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A change is what the repairs do to one operation.
type change struct {
	set    map[string]string
	remove map[string]bool
	erase  bool
}

// An edit replaces a part of a text.
type edit struct {
	start, end int
	text       string
}

// edited returns the text with the changes, by the numbers of operations from 1, and false if one
// of them has no place in the text.
func (s *source) edited(changes map[int]change) (string, bool) {
	var edits []edit
	for _, number := range slices.Sorted(maps.Keys(changes)) {
		if number < 1 || number > len(s.byNumber) {
			return "", false
		}
		op := s.byNumber[number-1]
		of, ok := s.statement(op)
		if !ok {
			return "", false
		}
		if changes[number].erase {
			edits = append(edits, s.erase(of))
			continue
		}
		own, ok := s.attributes(op, of, changes[number])
		if !ok {
			return "", false
		}
		edits = append(edits, own...)
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at {
			return "", false // one operation is in the text of another
		}
		b.WriteString(s.text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(s.text[at:])
	return b.String(), true
}

// erase removes a statement, with its line if nothing else is on it.
func (s *source) erase(of statement) edit {
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
		return edit{start: start, end: end}
	}
	end += strings.IndexByte(rest, '\n') + 1
	if !strings.Contains(rest, "\n") {
		end = len(s.text)
	}
	return edit{start: line, end: end}
}

// A dictionary is a list of attributes in the text, in tokens.
type dictionary struct {
	open, close int // the braces
	entries     []entry
}

// An entry is one attribute of a dictionary, in tokens.
type entry struct {
	name        string
	first, last int
	value       int // the first token of the value, or 0 for a unit attribute without one
}

// dictionary reads the dictionary whose brace is the token i.
func (s *source) dictionary(i int) (dictionary, bool) {
	d := dictionary{open: i, close: matching(s.text, s.tokens, i)}
	if d.close < 0 {
		return d, false
	}
	for at := i + 1; at < d.close; at++ {
		e := entry{name: s.word(at), first: at}
		if unquoted, err := strconv.Unquote(e.name); err == nil {
			e.name = unquoted
		}
		if s.word(at+1) == "=" {
			e.value = at + 2
		}
		depth := 0
		for ; at < d.close && (depth > 0 || s.word(at) != ","); at++ {
			depth += depthOf(s.word(at))
		}
		e.last = at - 1
		d.entries = append(d.entries, e)
	}
	return d, true
}

// isDictionary reports whether the brace at a token begins a dictionary and not a region.
func (s *source) isDictionary(i int) bool {
	if s.word(i) != "{" {
		return false
	}
	if s.word(i+1) == "}" {
		return true
	}
	w := s.word(i + 1)
	named := w != "" && (w[0] == '"' || isWord(w[0]))
	return named && slices.Contains([]string{"=", ",", "}"}, s.word(i+2))
}

// attributes returns the edits that change the attributes of an operation.
func (s *source) attributes(op mlir.Operation, of statement, c change) ([]edit, bool) {
	if strings.HasPrefix(s.word(of.name), `"`) {
		return s.generic(op, of, c)
	}
	return s.custom(op, of, c)
}

// generic edits the generic form:
//
//	"name"(operands)[successors] <{properties}> ({regions}) {attributes} : type
func (s *source) generic(op mlir.Operation, of statement, c change) ([]edit, bool) {
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
	var edits []edit
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
func (s *source) custom(op mlir.Operation, of statement, c change) ([]edit, bool) {
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
	return []edit{s.insert(end, " {"+list(c.set)+"}")}, true
}

// dictionaryFirst has operations whose own form has the dictionary after the name.
var dictionaryFirst = map[string]bool{"func.return": true, "stablehlo.constant": true}

// customWithRegions edits "attributes {…}", as functions and modules have it.
func (s *source) customWithRegions(of statement, c change) ([]edit, bool) {
	depth := 0
	for i := of.name + 1; i <= of.last; i++ {
		if w := s.word(i); depth == 0 {
			if w == "attributes" && s.word(i+1) == "{" {
				d, ok := s.dictionary(i + 1)
				return s.change(d, c, true), ok
			}
			if w == "{" && len(c.set) > 0 {
				return []edit{s.insert(i-1, " attributes {"+list(c.set)+"}")}, true
			}
		}
		depth += depthOf(s.word(i))
	}
	return nil, len(c.set) == 0
}

// insert adds text after a token.
func (s *source) insert(after int, text string) edit {
	return edit{s.tokens[after].end, s.tokens[after].end, text}
}

// change edits one dictionary. If it becomes empty, it is removed if optional says so.
func (s *source) change(d dictionary, c change, optional bool) []edit {
	var edits []edit
	added := maps.Clone(c.set)
	kept := -1 // the last entry that stays
	for i, e := range d.entries {
		if !c.remove[e.name] {
			kept = i
		}
		value, ok := c.set[e.name]
		if !ok {
			continue
		}
		delete(added, e.name)
		text, start := value, e.first
		if e.value > 0 {
			start = e.value
		} else {
			text = pair(e.name, value)
		}
		edits = append(edits, edit{s.tokens[start].start, s.tokens[e.last].end, text})
	}
	if kept < 0 && len(d.entries) > 0 || len(d.entries) == 0 && len(added) > 0 {
		start, end, text := s.tokens[d.open].end, s.tokens[d.close].start, list(added)
		if text == "" && optional {
			before := d.open - 1
			if s.word(before) == "attributes" {
				before--
			}
			start, end = s.tokens[before].end, s.tokens[d.close].end
		}
		return []edit{{start, end, text}}
	}
	if len(added) > 0 {
		edits = append(edits, s.insert(d.entries[kept].last, ", "+list(added)))
	}
	for i := 0; i < kept; i++ {
		if c.remove[d.entries[i].name] {
			edits = append(edits, edit{start: s.tokens[d.entries[i].first].start, end: s.tokens[d.entries[i+1].first].start})
		}
	}
	if last := len(d.entries) - 1; kept >= 0 && kept < last {
		edits = append(edits, edit{start: s.tokens[d.entries[kept].last].end, end: s.tokens[d.entries[last].last].end})
	}
	return edits
}

var bareName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_$.]*$`)

// list returns attributes as the inside of a dictionary, in the order of their names.
func list(set map[string]string) string {
	var b []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		b = append(b, pair(name, set[name]))
	}
	return strings.Join(b, ", ")
}

func pair(name, value string) string {
	if !bareName.MatchString(name) {
		name = `"` + strings.NewReplacer(`\`, `\5C`, `"`, `\22`).Replace(name) + `"`
	}
	if value == "unit" {
		return name
	}
	return name + " = " + value
}
