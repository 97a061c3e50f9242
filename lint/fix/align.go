package fix

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// An aligned is the text of an operation, and the value that each item of it is.
type aligned struct {
	parts  [][]item
	blocks []place
	values [][]mlir.Value // for each item; nil for those that are no values
	ok     bool
}

// nameOld names the values of the module in the text: results where they are defined, and arguments
// in the text of the operation around their block.
func (w *rewriter) nameOld() {
	for _, op := range w.byNumber {
		if of, ok := w.statement(op); ok {
			w.names.define(op, w.packs(of))
		}
	}
	for _, op := range w.byNumber {
		if op.NumRegions() > 0 && w.written(op) {
			w.align(op)
		}
	}
}

// isGeneric reports whether the text has an operation in the generic form.
func (w *rewriter) isGeneric(op mlir.Operation) bool {
	return strings.HasPrefix(w.word(w.source.names[op]), `"`)
}

// align finds the values in the text of an operation: they are those that the library prints, in the
// same order.
func (w *rewriter) align(op mlir.Operation) aligned {
	if a, ok := w.read[op]; ok {
		return a
	}
	var a aligned
	forms := []bool{false, true}
	if w.isGeneric(op) {
		forms = forms[1:]
	}
	for _, generic := range forms {
		f := w.old(generic)
		if w.failed {
			break
		}
		if r, ok := f.read(op); ok {
			if a = w.alignWith(op, f, r); a.ok {
				break
			}
		}
	}
	w.read[op] = a
	return a
}

func (w *rewriter) alignWith(op mlir.Operation, f *form, r reading) (a aligned) {
	a.parts, a.blocks, _ = w.parts(op)
	if !slices.Equal(a.blocks, r.blocks) {
		return a
	}
	texts := make([]map[string]string, len(a.parts)) // by the library's names
	for i, part := range a.parts {
		texts[i] = map[string]string{}
		printed := slices.DeleteFunc(slices.Clone(r.parts[i]), func(i item) bool { return !i.value })
		values := make([]mlir.Value, len(part))
		for j, it := range part {
			if !it.value {
				continue
			}
			if len(printed) == 0 {
				return a
			}
			v, text := r.values[i][f.of(printed[0])], w.of(it)
			if known := w.names.name(v); v.IsNil() || known != unnamed && !sameName(known, text) {
				return a
			}
			values[j], texts[i][f.of(printed[0])] = v, text
			printed = printed[1:]
		}
		if len(printed) > 0 {
			return a
		}
		a.values = append(a.values, values)
	}
	for i, at := range a.blocks {
		for _, v := range at.in(op).Arguments() {
			name := f.state.Name(v)
			for _, known := range slices.Concat(texts[i:i+1], texts) {
				if text := known[name]; text != "" {
					w.names.of[v] = text
					break
				}
			}
		}
	}
	a.ok = true
	return a
}

// sameName reports whether two names are those of one value: %x is the first value of %x:2, too.
func sameName(a, b string) bool {
	return strings.TrimSuffix(a, "#0") == strings.TrimSuffix(b, "#0")
}
