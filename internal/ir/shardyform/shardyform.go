// Package shardyform gives the operations of Shardy's dialect sdy a form that a library without that dialect parses,
// and gives what such a library prints Shardy's form again.
//
// A library that allows unregistered dialects reads the generic form, with all attributes in one dictionary, and keeps
// attributes of the dialect as texts. An operation with one region gets a second one, which is empty: symbols outside
// are not visible in the only region of an operation that is not registered (isPotentiallyUnknownSymbolTable in MLIR's
// SymbolTable.cpp), and functions and meshes are such symbols.
package shardyform

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/internal/ir/retext"
)

// Dialect is the namespace of the dialect.
const Dialect = "sdy"

// HasExtraRegion reports whether operations of a name have a second region for the library, which is empty.
func HasExtraRegion(operation string) bool {
	name, ok := strings.CutPrefix(operation, Dialect+".")
	return ok && hasBody(name)
}

// A Wrong is an operation that has not its form.
type Wrong struct {
	Name, Form   string // Form is what should follow the name
	Line, Column int
}

// Generic returns a text in which Shardy's operations have the generic form that the package describes. It returns the
// first of them that has not its form, or nil.
func Generic(text []byte) (*retext.Text, *Wrong) {
	r := &reader{text: text}
	for r.next(); r.t.Kind != lex.End && r.t.Kind != lex.Bad; {
		r.piece()
	}
	return retext.New(text, r.edits), r.wrong
}

// A reader reads the operations of a text.
type reader struct {
	text  []byte
	t     lex.Token // the next one
	end   int       // of the last one
	depth int       // how many brackets are open
	open  []*operation
	edits []retext.Edit
	wrong *Wrong
}

// An operation is one whose regions are being read.
type operation struct {
	name     string
	at       int // the position of its name
	depth    int // of its region
	pretty   bool
	form     []piece // what follows the region
	entries  []string
	regions  int    // where they begin
	constant string // its type
}

func (r *reader) next() {
	r.end = r.t.End
	r.t = lex.Next(r.text, r.end)
}

func (r *reader) is(t lex.Token) string { return string(r.text[t.Start:t.End]) }

// piece reads a token, or an operation of Shardy up to its regions or its end.
func (r *reader) piece() {
	t := r.t
	r.next()
	switch t.Kind {
	case '{', '(', '[':
		r.depth++
	case '}', ')', ']':
		r.depth--
		if last := len(r.open) - 1; last >= 0 && r.open[last].depth == r.depth {
			o := r.open[last]
			r.open = r.open[:last]
			r.closed(o, t)
		}
	case lex.Word:
		name, ok := bytes.CutPrefix(r.text[t.Start:t.End], []byte(Dialect+"."))
		if form := forms[string(name)]; ok && form != nil && r.t.Kind != '=' && r.t.Kind != ',' {
			r.custom(&operation{name: string(name), at: t.Start, pretty: true, form: form})
		}
	case lex.String:
		name, ok := bytes.CutPrefix(r.text[t.Start+1:t.End-1], []byte(Dialect+"."))
		if ok && r.t.Kind == '(' {
			r.generic(&operation{name: string(name), at: t.Start})
		}
	}
}

// fail keeps what is wrong first.
func (r *reader) fail(o *operation) {
	if r.wrong != nil {
		return
	}
	line := 1 + bytes.Count(r.text[:o.at], []byte("\n"))
	r.wrong = &Wrong{Dialect + "." + o.name, describe(o.name), line, o.at - bytes.LastIndexByte(r.text[:o.at], '\n')}
}

// replace puts a text in the place of what is between two positions, whose lines stay.
func (r *reader) replace(from, to int, text string) {
	text += strings.Repeat("\n", bytes.Count(r.text[from:to], []byte("\n"))-strings.Count(text, "\n"))
	r.edits = append(r.edits, retext.Put(from, to-from, text))
}

// group reads what is in brackets and returns it in one line, or "" if there is nothing.
func (r *reader) group(open lex.Kind) string {
	if r.t.Kind != open || open != '<' && open != '(' && open != '[' && open != '{' {
		return ""
	}
	end := lex.SkipBalanced(r.text, r.t)
	if end < 0 {
		return ""
	}
	text := r.line(r.t.Start, end)
	r.t.End = end
	r.next()
	return text
}

// line returns a part of the text in one line, without comments.
func (r *reader) line(from, to int) string {
	if !bytes.ContainsAny(r.text[from:to], "\n") {
		return string(r.text[from:to])
	}
	var b strings.Builder
	last := from
	for t := lex.Next(r.text, from); t.Start < to && t.Kind != lex.Bad; t = lex.Next(r.text, t.End) {
		if t.Start > last {
			b.WriteByte(' ')
		}
		b.Write(r.text[t.Start:t.End])
		last = t.End
	}
	return b.String()
}

// custom reads an operation in Shardy's form behind its name.
func (r *reader) custom(o *operation) {
	values := ""
	for i, p := range o.form {
		if p.kind == body {
			arguments := strings.TrimSpace(r.inner('('))
			if r.t.Kind != '{' {
				r.fail(o)
				return
			}
			start := " ({ "
			if arguments != "" {
				start += "^bb0(" + arguments + "): "
			}
			r.replace(o.at, r.t.End, `"`+Dialect+"."+o.name+`"(`+values+")"+start)
			o.form, o.depth = o.form[i+1:], r.depth
			r.open = append(r.open, o)
			r.next()
			r.depth++
			return
		}
		if !r.part(o, p, &values) {
			r.fail(o)
			return
		}
	}
	types := o.form[len(o.form)-1]
	r.replace(o.at, r.end, `"`+Dialect+"."+o.name+`"(`+values+")"+dictionary(o.entries)+r.types(o, types))
}

// inner reads what is in brackets, and returns it without them.
func (r *reader) inner(open lex.Kind) string {
	text := r.group(open)
	if len(text) < 2 {
		return ""
	}
	return text[1 : len(text)-1]
}

func dictionary(entries []string) string {
	if len(entries) == 0 {
		return ""
	}
	return " {" + strings.Join(entries, ", ") + "}"
}

// part reads a piece of an operation. It reports whether the piece is there, or may be missing.
func (r *reader) part(o *operation, p piece, values *string) bool {
	if p.word != "" && p.kind != mark {
		if r.t.Kind != lex.Word || r.is(r.t) != p.word {
			return p.optional
		}
		if r.next(); r.t.Kind != '=' {
			return false
		}
		r.next()
	}
	value := ""
	switch t := r.t; p.kind {
	case mark:
		r.next()
		return r.is(t) == p.word
	case operand:
		*values = r.value()
		return *values != ""
	case operands:
		if o.name == "return" {
			*values = r.values()
			return true
		}
		if t.Kind != '(' {
			return false
		}
		*values = r.inner('(')
		return true
	case symbol:
		if t.Kind != lex.Symbol {
			return false
		}
		if value = r.is(t)[1:]; !strings.HasPrefix(value, `"`) {
			value = strconv.Quote(value)
		}
		r.next()
	case group, list:
		if p.kind == group || t.Kind == '[' {
			value = r.group(t.Kind)
		}
		if value != "" {
			value = p.open + value + p.close()
		}
	case number:
		if t.Kind == lex.Number {
			value = r.is(t) + " : i64"
			r.next()
		}
	case label:
		value = strings.TrimSpace(r.inner('<'))
	case constant:
		start := t.Start
		for r.next(); r.t.Kind == '<'; {
			r.group('<')
		}
		if r.t.Kind != ':' {
			return false
		}
		r.next()
		if o.constant = r.typ(); o.constant == "" {
			return false
		}
		value = r.line(start, r.end)
	case direction, reduction:
		for i, word := range words[p.kind] {
			if t.Kind == lex.Word && r.is(t) == word {
				value = strconv.Itoa(i) + " : i32"
				r.next()
				break
			}
		}
		if value == "" && p.optional {
			value = "0 : i32" // the default value
		}
	case rest:
		if r.t.Kind == '{' {
			if more := strings.TrimSpace(r.inner('{')); more != "" {
				o.entries = append(o.entries, more)
			}
		}
		return true
	case result, input, function:
		return r.t.Kind == ':'
	}
	if value == "" {
		return false
	}
	o.entries = append(o.entries, p.attribute+" = "+value)
	return true
}

// value reads a value.
func (r *reader) value() string {
	if r.t.Kind != lex.Value {
		return ""
	}
	start := r.t.Start
	if r.next(); r.t.Kind == lex.Attribute && r.t.Start == r.end { // the number of a result
		r.next()
	}
	return string(r.text[start:r.end])
}

// values reads the values of a return.
func (r *reader) values() string {
	var list []string
	for v := r.value(); v != ""; v = r.value() {
		if list = append(list, v); r.t.Kind != ',' {
			break
		}
		r.next()
	}
	return strings.Join(list, ", ")
}

// typ reads a type, and returns its text.
func (r *reader) typ() string {
	start := r.t.Start
	switch r.t.Kind {
	case lex.Word:
		if r.next(); r.t.Kind == '<' {
			r.group('<')
		}
	case lex.Type:
		r.next()
	case '(':
		if r.group('('); r.t.Kind == lex.Arrow {
			r.next()
			r.typ()
		}
	default:
		return ""
	}
	return r.line(start, r.end)
}

// types reads the types at the end of an operation and returns them in the generic form.
func (r *reader) types(o *operation, p piece) string {
	if p.kind == constant {
		return " : () -> " + o.constant
	}
	if r.t.Kind != ':' {
		if o.name == "return" || o.name == "mesh" {
			return " : () -> ()"
		}
		r.fail(o)
		return ""
	}
	r.next()
	var list []string
	for t := r.typ(); t != ""; t = r.typ() {
		if list = append(list, t); r.t.Kind != ',' {
			break
		}
		r.next()
	}
	types := strings.Join(list, ", ")
	switch {
	case types == "":
		r.fail(o)
	case p.kind == function:
		return " : " + types
	case p.kind == result:
		return " : (" + types + ") -> " + types
	}
	return " : (" + types + ") -> ()"
}

// closed reads what follows a region of an operation, of which t is the last bracket.
func (r *reader) closed(o *operation, t lex.Token) {
	if !o.pretty {
		if hasBody(o.name) && r.regionsIn(o, t) == 1 {
			r.edits = append(r.edits, retext.Put(t.Start, 0, ", {}"))
		}
		r.attributes(o)
		return
	}
	values := ""
	for _, p := range o.form {
		if !r.part(o, p, &values) {
			r.fail(o)
			return
		}
	}
	from := t.Start
	types := r.types(o, o.form[len(o.form)-1])
	r.replace(from, r.end, "}, {})"+dictionary(o.entries)+types)
}

// generic reads an operation in the generic form behind its name.
func (r *reader) generic(o *operation) {
	r.group('(')
	if r.t.Kind == '[' { // successors
		r.group('[')
	}
	if open := r.t; open.Kind == '<' {
		properties, begins := strings.CutPrefix(r.group('<'), "<{")
		if properties, ends := strings.CutSuffix(properties, "}>"); begins && ends {
			o.entries = []string{properties}
			r.replace(open.Start, r.end, "")
		}
	}
	if r.t.Kind == '(' {
		o.depth = r.depth
		r.open = append(r.open, o)
		o.regions = r.t.End
		r.depth++
		r.next()
		return
	}
	r.attributes(o)
}

// regionsIn returns the number of regions of an operation in the generic form, of which t is the last bracket.
func (r *reader) regionsIn(o *operation, t lex.Token) (n int) {
	for at := lex.Next(r.text, o.regions); at.Start < t.Start && at.Kind != lex.End && at.Kind != lex.Bad; n++ {
		end := at.End
		if at.Kind == '{' {
			if end = lex.SkipBalanced(r.text, at); end < 0 {
				return n
			}
		} else {
			n-- // a comma
		}
		at = lex.Next(r.text, end)
	}
	return n
}

// attributes gives the properties of an operation in the generic form a place among its attributes, which come next.
func (r *reader) attributes(o *operation) {
	if len(o.entries) == 0 || o.entries[0] == "" {
		return
	}
	properties := o.entries[0]
	if r.t.Kind != '{' {
		r.edits = append(r.edits, retext.Put(r.end, 0, " {"+properties+"}"))
		return
	}
	first := lex.Next(r.text, r.t.End)
	if first.Kind != '}' {
		properties += ", "
	}
	r.edits = append(r.edits, retext.Put(r.t.End, 0, properties))
}
