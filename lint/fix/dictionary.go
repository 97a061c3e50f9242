package fix

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
)

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
	named := w != "" && (w[0] == '"' || lex.IsWord(w[0]))
	return named && slices.Contains([]string{"=", ",", "}"}, s.word(i+2))
}

// change edits one dictionary. If it becomes empty, it is removed if optional says so.
func (s *source) change(d dictionary, c change, optional bool) []Edit {
	var edits []Edit
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
		edits = append(edits, Edit{s.tokens[start].start, s.tokens[e.last].end, text})
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
		return []Edit{{start, end, text}}
	}
	if len(added) > 0 {
		edits = append(edits, s.insert(d.entries[kept].last, ", "+list(added)))
	}
	for i := 0; i < kept; i++ {
		if c.remove[d.entries[i].name] {
			edits = append(edits,
				Edit{Start: s.tokens[d.entries[i].first].start, End: s.tokens[d.entries[i+1].first].start})
		}
	}
	if last := len(d.entries) - 1; kept >= 0 && kept < last {
		edits = append(edits, Edit{Start: s.tokens[d.entries[kept].last].end, End: s.tokens[d.entries[last].last].end})
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
