package shardyform

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/internal/ir/retext"
)

// Pretty returns what a library printed with Shardy's operations in Shardy's form, or in the generic form without the
// extra regions.
func Pretty(text []byte, generic bool) []byte {
	if !bytes.Contains(text, []byte(`"`+Dialect+".")) {
		return text
	}
	w := &printer{reader: reader{text: text}, plain: generic}
	for w.next(); w.t.Kind != lex.End && w.t.Kind != lex.Bad; {
		w.token()
	}
	return retext.New(text, w.edits).Bytes()
}

// A printer gives operations in the generic form that of Shardy.
type printer struct {
	reader
	plain bool // keep the generic form
	open  []*printed
}

// A printed is an operation whose regions are being read.
type printed struct {
	name, operands, arguments string
	at, depth                 int
	body                      int // where the first region's operations begin, or 0
	end, closed               int // of the first region, and of all
}

// token reads a token, or an operation of Shardy up to its regions or its end.
func (w *printer) token() {
	t := w.t
	w.next()
	switch t.Kind {
	case '{', '(', '[':
		w.depth++
	case '}', ')', ']':
		w.depth--
		last := len(w.open) - 1
		if last < 0 {
			return
		}
		switch o := w.open[last]; {
		case o.end == 0 && w.depth == o.depth+1: // its first region
			o.end = t.Start
		case w.depth == o.depth:
			w.open, o.closed = w.open[:last], t.Start
			w.finish(o)
		}
	case lex.String:
		name, ok := bytes.CutPrefix(w.text[t.Start+1:t.End-1], []byte(Dialect+"."))
		if ok && w.t.Kind == '(' && forms[string(name)] != nil {
			w.operation(&printed{name: string(name), at: t.Start})
		}
	}
}

// operation reads an operation behind its name.
func (w *printer) operation(o *printed) {
	if o.operands = w.inner('('); w.t.Kind != '(' {
		w.finish(o)
		return
	}
	o.depth = w.depth
	w.depth++
	if w.next(); w.t.Kind == '{' {
		w.depth++
		o.body = w.t.End
		if w.next(); w.t.Kind == lex.Block {
			if w.next(); w.t.Kind == '(' {
				o.arguments = w.inner('(')
			}
			if w.t.Kind == ':' {
				o.body = w.t.End
				w.next()
			}
		}
	}
	w.open = append(w.open, o)
}

// finish reads what follows the regions of an operation, and gives all of it another form.
func (w *printer) finish(o *printed) {
	hasBody := o.body > 0 && o.end > 0
	if hasBody {
		w.edits = append(w.edits, retext.Put(o.end+1, o.closed-o.end-1, "")) // the extra region
	}
	if w.plain {
		return
	}
	entries := map[string]string{}
	var names []string
	if w.t.Kind == '{' {
		for _, e := range split(w.inner('{')) {
			name, value, _ := strings.Cut(e, " = ")
			entries[name] = value
			names = append(names, name)
		}
	}
	if w.t.Kind != ':' {
		return
	}
	w.next()
	types := w.typ()
	head, tail, ok := o.texts(entries, names, types)
	switch {
	case !ok:
	case hasBody:
		w.edits = append(w.edits, retext.Put(o.at, o.body-o.at, head), retext.Put(o.closed, w.end-o.closed, tail))
	default:
		w.edits = append(w.edits, retext.Put(o.at, w.end-o.at, head+tail))
	}
}

// split returns the entries of a dictionary.
func split(text string) (list []string) {
	from, depth := 0, 0
	for t := lex.Next([]byte(text), 0); ; t = lex.Next([]byte(text), t.End) {
		switch t.Kind {
		case '{', '(', '[', '<':
			depth++
		case '}', ')', ']', '>':
			depth--
		}
		if t.Kind == lex.End || t.Kind == lex.Bad || t.Kind == ',' && depth == 0 {
			if e := strings.TrimSpace(text[from:t.Start]); e != "" {
				list = append(list, e)
			}
			if from = t.End; t.Kind != ',' {
				return list
			}
		}
	}
}

// texts returns an operation in Shardy's form before and after its body. It reports false if it has none.
func (o *printed) texts(entries map[string]string, names []string, types string) (head, tail string, ok bool) {
	var b strings.Builder
	b.WriteString(Dialect + "." + o.name)
	used := map[string]bool{}
	for _, p := range forms[o.name] {
		used[p.attribute] = true
	}
	for _, p := range forms[o.name] {
		value, has := entries[p.attribute]
		if p.attribute != "" {
			if !has && p.optional {
				continue
			}
			if value, ok = p.shown(value); !ok || !has {
				return "", "", false
			}
			if value == "" {
				continue
			}
			if p.word != "" {
				value = p.word + "=" + value
			}
		}
		space := " "
		switch p.kind {
		case mark:
			value = p.word
		case operand:
			value = o.operands
		case operands:
			if o.name != "return" {
				value, space = "("+o.operands+")", ""
			} else if value = ""; o.operands != "" {
				value = o.operands + " : " + strings.Trim(before(types), "()")
			}
		case label:
			space = ""
		case rest:
			var more []string
			for _, name := range names {
				switch v := entries[name]; {
				case used[name]:
				case v == "":
					more = append(more, name)
				default:
					more = append(more, name+" = "+v)
				}
			}
			value = strings.TrimSpace(dictionary(more))
		case result, input:
			t, _ := strings.CutPrefix(before(types), "(")
			value = ": " + strings.TrimSuffix(t, ")")
		case function:
			value = ": " + types
		case body:
			b.WriteString(" (" + o.arguments + ") {")
			head = b.String()
			b.Reset()
			continue
		}
		if value != "" {
			b.WriteString(space + value)
		}
	}
	if head == "" {
		return b.String(), "", true
	}
	return head, b.String(), true
}

// before returns the operands of a function type.
func before(types string) string {
	t := lex.Next([]byte(types), 0)
	if t.Kind != '(' {
		return types
	}
	end := lex.SkipBalanced([]byte(types), t)
	return types[:max(end, 0)]
}

// shown returns an attribute of the generic form as Shardy's form shows it.
func (p piece) shown(value string) (string, bool) {
	switch p.kind {
	case symbol:
		return symbolText(value), value != ""
	case group, list:
		inner, ok := strings.CutPrefix(value, p.open)
		if !ok || !strings.HasSuffix(inner, p.close()) {
			return "", false
		}
		return inner[:len(inner)-len(p.close())], true
	case number:
		return strings.CutSuffix(value, " : i64")
	case label:
		return "<" + value + ">", true
	case direction, reduction:
		text, ok := strings.CutSuffix(value, " : i32")
		i, err := strconv.Atoi(text)
		if !ok || err != nil || i < 0 || i >= len(words[p.kind]) {
			return "", false
		}
		if p.kind == reduction && i == 0 {
			return "", true
		}
		return words[p.kind][i], true
	}
	return value, true
}

// symbolText returns a symbol whose name is a string of MLIR.
func symbolText(quoted string) string {
	name := strings.Trim(quoted, `"`)
	for i := range len(name) {
		if !lex.IsWord(name[i]) || i == 0 && '0' <= name[i] && name[i] <= '9' {
			return "@" + quoted
		}
	}
	return "@" + name
}
