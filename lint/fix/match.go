package fix

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// A step is a place in a block of the text: an operation that stays or is replaced by another one, one
// that goes if there is no new one, or a new one if there is no old one.
type step struct {
	old, new mlir.Operation
	stays    bool
}

// match finds what became of an operation, and names the values of what it became.
func (w *rewriter) match(old, new mlir.Operation) {
	w.names.redefine(new, old, true, w.model)
	regions := old.NumRegions()
	if regions != new.NumRegions() {
		w.fail(old, "gets other regions")
		return
	}
	for i := range regions {
		before, after := slices.Collect(old.Region(i).Blocks()), slices.Collect(new.Region(i).Blocks())
		if len(before) != len(after) {
			w.fail(old, "gets other blocks")
			return
		}
		for j := range before {
			w.arguments(new, before[j], after[j])
		}
		for j := range before {
			w.steps[after[j]] = w.blockSteps(before[j], after[j])
		}
	}
}

// arguments names the arguments of a block of an operation.
func (w *rewriter) arguments(op mlir.Operation, before, after mlir.Block) {
	var old []mlir.Value
	var names []string
	for _, v := range before.Arguments() {
		old, names = append(old, v), append(names, w.names.name(v))
	}
	values := after.ArgumentValues()
	// Blocks of one operation may share names in its text.
	for i, name := range w.names.assign(values, old, names, func(v mlir.Value) string { return w.shared(op, v) }) {
		w.names.of[values[i]] = name
	}
}

// blockSteps matches the operations of two blocks. Those with the number of an old one stay.
func (w *rewriter) blockSteps(before, after mlir.Block) (steps []step) {
	olds := slices.Collect(before.Operations())
	var news []mlir.Operation // since the last one that stays
	for op := range after.Operations() {
		at := -1
		if n := w.numbers[op]; n > 0 {
			at = slices.Index(olds, w.byNumber[n-1])
		}
		if at < 0 {
			news = append(news, op)
			continue
		}
		steps = append(steps, w.gap(olds[:at], news)...)
		steps = append(steps, step{olds[at], op, true})
		olds, news = olds[at+1:], nil
	}
	steps = append(steps, w.gap(olds, news)...)
	for _, s := range steps {
		switch {
		case s.stays:
			w.match(s.old, s.new)
		case !s.new.IsNil():
			w.invent(s.new, s.old)
		}
	}
	return steps
}

// gap matches operations that went with those that are new at their place. A new one has the location
// of the one that it replaces, if there is one.
func (w *rewriter) gap(olds, news []mlir.Operation) (steps []step) {
	olds = slices.DeleteFunc(slices.Clone(olds), func(op mlir.Operation) bool { return !w.written(op) })
	for len(olds)+len(news) > 0 {
		if len(news) == 0 {
			steps, olds = append(steps, step{old: olds[0]}), olds[1:]
			continue
		}
		at := slices.IndexFunc(olds, func(op mlir.Operation) bool { return w.places[op].Equal(news[0].Location()) })
		later := len(olds) > 0 && slices.ContainsFunc(news[1:],
			func(op mlir.Operation) bool { return w.places[olds[0]].Equal(op.Location()) })
		switch {
		case at < 0 && (later || len(olds) == 0):
			steps = append(steps, step{new: news[0]})
		default:
			for _, op := range olds[:max(at, 0)] {
				steps = append(steps, step{old: op})
			}
			olds = olds[max(at, 0):]
			steps, olds = append(steps, step{old: olds[0], new: news[0]}), olds[1:]
		}
		news = news[1:]
	}
	return steps
}

// invent names the values of a new operation. It may have the names of the one that it replaces.
func (w *rewriter) invent(op, instead mlir.Operation) {
	if !instead.IsNil() {
		w.names.redefine(op, instead, false, w.model)
	} else if n := op.NumResults(); n > 0 {
		w.names.define(op, []pack{{w.names.fresh(w.model(op.Result(0))), n}})
	}
	for _, region := range op.Regions() {
		for block := range region.Blocks() {
			for _, v := range block.Arguments() {
				w.names.of[v] = w.shared(op, v)
			}
			for inner := range block.Operations() {
				w.invent(inner, mlir.Operation{})
			}
		}
	}
}
