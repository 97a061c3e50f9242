package fix

import (
	"cmp"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A rewriter makes the edits of a text that make the module in it another one. It rewrites the
// statements of the operations that changed, and leaves the others with their names and comments.
type rewriter struct {
	*source
	module  *mlir.Module                     // what it becomes
	numbers map[mlir.Operation]int           // its operations by their numbers in the text, as far as they stay
	places  map[mlir.Operation]mlir.Location // of the operations of the text
	before  [2]*form                         // of the source's module: in the dialects' forms, in the generic one
	after   [2]*form                         // of the other module
	names   naming
	steps   map[mlir.Block][]step // of blocks of the module
	read    map[mlir.Operation]aligned
	generic bool // the form of new operations
	edits   []Edit
	failed  bool
}

// rewritten returns the edits that make the module of a text another one. numbers has the numbers of
// the operations that stay, and places the locations of the old ones, by number. New operations have
// their dialects' forms, which may leave something out, or the generic one. It returns false if an
// operation that changed cannot be found in the text.
func (s *source) rewritten(
	m *mlir.Module, numbers map[mlir.Operation]int, places []mlir.Location, generic bool,
) ([]Edit, bool) {
	if s.module == nil || len(places) != len(s.byNumber) {
		return nil, false
	}
	w := &rewriter{source: s, module: m, numbers: numbers, places: map[mlir.Operation]mlir.Location{}, generic: generic,
		names: naming{map[mlir.Value]string{}, map[mlir.Operation][]pack{}, map[string]bool{}},
		steps: map[mlir.Block][]step{}, read: map[mlir.Operation]aligned{}}
	defer w.close()
	for i, op := range s.byNumber {
		w.places[op] = places[i]
	}
	for i, t := range s.tokens {
		if w.text[t.start] == '%' {
			w.names.taken[s.word(i)] = true
		}
	}
	w.nameOld()
	w.match(s.module.Operation(), m.Operation())
	w.rewrite(s.module.Operation(), m.Operation())
	if w.failed {
		return nil, false
	}
	slices.SortStableFunc(w.edits, func(a, b Edit) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	for i, e := range w.edits {
		if i > 0 && e.Start < w.edits[i-1].End || strings.Contains(e.Text, unnamed) {
			w.fail(s.module.Operation(), "would have two changes in one place, or values without a name")
			return nil, false
		}
		if s.lines() == "\r\n" {
			w.edits[i].Text = strings.ReplaceAll(strings.ReplaceAll(e.Text, "\r", ""), "\n", "\r\n")
		}
	}
	return w.edits, true
}

// fail records why the text of an operation cannot be edited.
func (w *rewriter) fail(op mlir.Operation, why string) {
	w.failed = true
	w.source.refuse(op, why)
}

func (w *rewriter) close() {
	for _, f := range slices.Concat(w.before[:], w.after[:]) {
		if f != nil {
			f.close()
		}
	}
}

// form returns a form of a module, which it makes once.
func (w *rewriter) form(of *[2]*form, m *mlir.Module, generic bool) *form {
	i := 0
	if generic {
		i = 1
	}
	if of[i] == nil {
		var ok bool
		of[i], ok = formOf(m, generic)
		if !ok {
			w.fail(m.Operation(), "is printed in a form that the library does not read")
		}
	}
	return of[i]
}

func (w *rewriter) old(generic bool) *form { return w.form(&w.before, w.source.module, generic) }
func (w *rewriter) new(generic bool) *form { return w.form(&w.after, w.module, generic) }

// model returns the library's name for a value of the module, or a better one.
func (w *rewriter) model(v mlir.Value) string {
	if v.Type().String() == callbackToken {
		return "%token"
	}
	return w.new(false).state.Name(v)
}

// shared returns a new name for an argument of an operation, or that of an argument that has the
// same name in the library's text.
func (w *rewriter) shared(op mlir.Operation, v mlir.Value) string {
	name := w.new(false).state.Name(v)
	for _, region := range op.Regions() {
		for block := range region.Blocks() {
			for _, other := range block.Arguments() {
				if known, ok := w.names.of[other]; ok && other != v && w.new(false).state.Name(other) == name {
					return known
				}
			}
		}
	}
	return w.names.fresh(w.model(v))
}

// written reports whether an operation of the source has a statement.
func (w *rewriter) written(op mlir.Operation) bool { _, ok := w.source.names[op]; return ok }

// lines returns what ends the lines of a text: the first one that is not empty, because the parts of a
// file have empty lines before them.
func (s *source) lines() string {
	first, _, _ := strings.Cut(strings.TrimLeft(s.text, "\n"), "\n")
	if strings.HasSuffix(first, "\r") {
		return "\r\n"
	}
	return "\n"
}
