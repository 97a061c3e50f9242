package fix

import (
	"cmp"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// rewrite edits the text of an operation that stays, and of what is in it.
func (w *rewriter) rewrite(old, new mlir.Operation) {
	if w.unchanged(old, new) || w.written(old) && !w.header(old, new) || w.failed {
		return
	}
	for i, region := range new.Regions() {
		at := place{i, 0}
		for block := range region.Blocks() {
			w.block(at.in(old), w.steps[block])
			at.block++
		}
	}
}

// unchanged reports whether an operation in the module's body is as it was. Most functions of a large module are, and
// printing them is several times faster than reading what was printed.
func (w *rewriter) unchanged(old, new mlir.Operation) bool {
	return old.Parent() == w.source.module.Operation() && localForm(old) == localForm(new)
}

// header edits the text of an operation without the statements in it. It returns false if there is
// nothing to do in these.
func (w *rewriter) header(old, new mlir.Operation) bool {
	of, _ := w.statement(old)
	generic := w.isGeneric(old)
	f, g := w.old(generic), w.new(generic)
	if w.failed {
		return false
	}
	p, has := f.read(old)
	q, stillHas := g.read(new)
	if !has && !stillHas {
		return true // in the text of the operation around it
	}
	before, after := w.spelled(f, p), w.spelled(g, q)
	alike := slices.Equal(p.blocks, q.blocks)
	if !alike || !slices.EqualFunc(before, after, slices.Equal) {
		a := w.align(old)
		onlyNames := func(a, b []item) bool { return w.onlyNames(f, a, g, b) }
		switch {
		case a.ok && alike && slices.EqualFunc(p.parts, q.parts, onlyNames):
			for i, part := range a.parts {
				w.rename(part, valuesOf(p.parts[i], before[i]), valuesOf(q.parts[i], after[i]))
			}
		case w.generic && len(q.blocks) == 0:
			w.replace(old, new)
			return false
		case a.ok && slices.Equal(a.blocks, q.blocks):
			for i, part := range a.parts {
				w.part(old, of, part, g, q.parts[i], after[i])
			}
		default:
			w.replace(old, new)
			return false
		}
	}
	if now := defined(w.names.lists[new]); now != defined(w.names.lists[old]) {
		w.define(of, now)
	}
	return true
}

// spelled returns the items of each part as they are in the text.
func (w *rewriter) spelled(f *form, r reading) [][]string {
	texts := make([][]string, len(r.parts))
	for i, part := range r.parts {
		for _, it := range part {
			text := f.of(it)
			if it.value {
				text = w.names.name(r.values[i][text])
			}
			texts[i] = append(texts[i], text)
		}
	}
	return texts
}

// onlyNames reports whether two texts differ only in the names of values.
func (w *rewriter) onlyNames(f *form, a []item, g *form, b []item) bool {
	return slices.EqualFunc(a, b,
		func(a, b item) bool { return a.value && b.value || !a.value && !b.value && f.of(a) == g.of(b) })
}

// valuesOf returns the texts of values.
func valuesOf(items []item, texts []string) (values []string) {
	for i, it := range items {
		if it.value {
			values = append(values, texts[i])
		}
	}
	return values
}

// rename replaces the names of values.
func (w *rewriter) rename(part []item, before, after []string) {
	for _, it := range part {
		if !it.value {
			continue
		}
		if before[0] != after[0] {
			w.edits = append(w.edits, Edit{it.start, it.end, after[0]})
		}
		before, after = before[1:], after[1:]
	}
}

// part replaces what differs in a part of a statement. texts are the items of the printed one.
func (w *rewriter) part(op mlir.Operation, of statement, items []item, g *form, printed []item, texts []string) {
	is := func(i, j int) bool {
		return w.of(items[i]) == texts[j] || items[i].value && sameName(w.of(items[i]), texts[j])
	}
	m, n := len(items), len(texts)
	first := 0
	if m > 0 && items[0].start == w.tokens[of.name].start {
		first = 1 // the name, which has several spellings
	}
	for first < min(m, n) && is(first, first) {
		first++
	}
	for min(m, n) > first && is(m-1, n-1) {
		m, n = m-1, n-1
	}
	if first == m && first == n {
		return
	}
	if first == 0 { // a part begins with a bracket, or a name
		w.fail(op, "is written in a form of its own")
		return
	}
	start, at := items[first-1].end, printed[first-1].end
	end := start
	if m > first {
		end = items[m-1].end
	}
	var text strings.Builder
	for i := first; i < n; i++ {
		text.WriteString(g.text[at:printed[i].start] + texts[i])
		at = printed[i].end
	}
	w.keep(op, of, start, end)
	w.edits = append(w.edits, Edit{start, end, text.String()})
}

// define replaces the names before the = of a statement.
func (w *rewriter) define(of statement, names string) {
	start, name := w.tokens[of.first].start, w.tokens[of.name].start
	if names != "" {
		names += " = "
	}
	w.edits = append(w.edits, Edit{start, name, names})
}

// replace replaces a statement by that of another operation, except for its location.
func (w *rewriter) replace(old, new mlir.Operation) {
	of, _ := w.statement(old)
	if _, blocks, _ := w.parts(old); len(blocks) > 0 && w.commented(of) {
		w.fail(old, "has comments in its regions, which its replacement does not have")
		return
	}
	items := w.items(of.first, of.last)
	start, end := items[0].start, items[len(items)-1].end
	w.keep(old, of, start, end)
	w.edits = append(w.edits, Edit{start, end, w.render(new, w.indent(of.first))})
}

// commented reports whether comments are in a statement.
func (w *rewriter) commented(of statement) bool {
	return len(w.commentsIn(w.tokens[of.first].start, w.tokens[of.last].end)) > 0
}

func (w *rewriter) commentsIn(start, end int) []token {
	find := func(at int) int {
		i, _ := slices.BinarySearchFunc(w.comments, at, func(c token, at int) int { return cmp.Compare(c.start, at) })
		return i
	}
	return w.comments[find(start):find(end)]
}

// keep puts the comments in a range of a statement before it, because the range is replaced.
func (w *rewriter) keep(op mlir.Operation, of statement, start, end int) {
	line := w.tokens[of.first].start - len(w.indent(of.first))
	for _, c := range w.commentsIn(start, end) {
		if line > 0 && w.text[line-1] != '\n' {
			w.fail(op, "has a comment, and another operation is in its first line")
		}
		w.edits = append(w.edits, Edit{line, line, w.indent(of.first) + word(w.text, c) + "\n"})
	}
}

// indent returns the white space between the start of a line and a token. It is empty if something else is there.
func (w *rewriter) indent(i int) string {
	at := w.tokens[i].start
	start := strings.LastIndexByte(w.text[:at], '\n') + 1
	if space := w.text[start:at]; strings.Trim(space, " \t") == "" {
		return space
	}
	return ""
}

// block makes the steps in a block of the text.
func (w *rewriter) block(b mlir.Block, steps []step) {
	first, _, ok := w.inside(b)
	last := first.first - 1 // the last token before the next step
	for i, s := range steps {
		var of statement
		if !s.old.IsNil() && w.written(s.old) {
			of, _ = w.statement(s.old)
		}
		switch {
		case s.stays:
			w.rewrite(s.old, s.new)
		case !ok:
			changed := s.old
			if changed.IsNil() {
				changed = s.new
			}
			w.fail(changed, noText)
		case s.new.IsNil():
			w.remove(s.old, of)
		case s.old.IsNil():
			w.insert(s.new, last, w.next(steps[i+1:]), w.indent(first.first))
		default:
			w.replace(s.old, s.new)
		}
		if of != (statement{}) {
			last = of.last
		}
	}
}

// next returns the first token of the next statement, or -1.
func (w *rewriter) next(steps []step) int {
	for _, s := range steps {
		if !s.old.IsNil() && w.written(s.old) {
			of, _ := w.statement(s.old)
			return of.first
		}
	}
	return -1
}

// remove removes a statement, but not the comments in it.
func (w *rewriter) remove(op mlir.Operation, of statement) {
	w.keep(op, of, w.tokens[of.first].start, w.tokens[of.last].end)
	w.edits = append(w.edits, w.erase(of))
}

// insert adds the statement of a new operation: on its own line after a token, if the rest of that line is
// a comment, or else before the token of the next statement, if there is one.
func (w *rewriter) insert(op mlir.Operation, after, next int, indent string) {
	text := w.render(op, indent)
	if after < 0 {
		w.fail(op, noText)
		return
	}
	at := w.tokens[after].end
	rest, _, whole := strings.Cut(w.text[at:], "\n")
	switch trimmed := strings.TrimSpace(rest); {
	case whole && (trimmed == "" || strings.HasPrefix(trimmed, "//")):
		at += len(rest) + 1
		text = indent + text + "\n"
	case next >= 0:
		at = w.tokens[next].start
		text += " "
	default:
		text = " " + text
	}
	w.edits = append(w.edits, Edit{at, at, text})
}

// render returns the statement of an operation, with the names that its values have in the text.
func (w *rewriter) render(op mlir.Operation, indent string) string {
	f := w.new(w.generic)
	if _, ok := f.source.names[f.own(op)]; !ok {
		f = w.new(true)
	}
	of, ok := f.statement(f.own(op))
	if !ok {
		w.fail(op, noText)
		return ""
	}
	var edits []Edit
	w.respell(f, op, &edits)
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	start, end := f.tokens[of.first].start, f.tokens[of.last].end
	cut := source{text: f.text[:end]}
	text := cut.edited(edits)[start:]
	before := f.text[strings.LastIndexByte(f.text[:start], '\n')+1 : start]
	return strings.ReplaceAll(text, "\n"+before, "\n"+indent)
}

// respell adds the edits that name the values of a printed statement, and of those in it, as the text does.
func (w *rewriter) respell(f *form, op mlir.Operation, edits *[]Edit) {
	of, ok := f.statement(f.own(op))
	r, has := f.read(op)
	if !ok || !has {
		return
	}
	if of.first < of.name {
		*edits = append(*edits,
			Edit{f.tokens[of.first].start, f.tokens[of.name].start, defined(w.names.lists[op]) + " = "})
	}
	for i, texts := range w.spelled(f, r) {
		for j, it := range r.parts[i] {
			if it.value {
				*edits = append(*edits, Edit{it.start, it.end, texts[j]})
			}
		}
	}
	for _, region := range op.Regions() {
		for block := range region.Blocks() {
			for inner := range block.Operations() {
				w.respell(f, inner, edits)
			}
		}
	}
}
