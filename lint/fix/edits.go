package fix

import (
	"maps"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// Edits returns the edits of a text that make the repair of each finding, in the order of the text.
// found are the findings of lint.Check in the text, and analyzers the rules that it ran. Only findings that are
// wanted have edits, which take time each.
//
// The edits of each finding stand alone: the text with them, and no others, is a valid module with
// this repair. If the library refuses the text because of mistakes that a rule explains, all
// repairs of that rule are needed for a valid module, and the edits of each of its findings make
// all of them.
//
// A finding has no edits if
//   - it has no repair, or one of the whole module;
//   - the data are bytecode;
//   - the repair erases an operation whose results are used, so that others must be erased first;
//   - another rule explains why the library refuses the text, or its repairs do not suffice, or they
//     are repairs of more than 100 operations;
//   - the operation has no place in the text, or the edited text is not the repaired module.
//
// Like Apply, Edits makes each repair on the IR too, and compares the edited text with it. Repairs of
// different operations are compared together. Nothing is parsed if no finding has a repair of its
// operation.
func Edits(
	library *mlir.Library, data []byte, found []finding.Finding, analyzers []*lint.Analyzer,
	wanted func(finding.Finding) bool,
) ([][]Edit, error) {
	all := make([][]Edit, len(found))
	mayHave := func(d finding.Finding) bool { return isLocal(d) && wanted(d) }
	if mlir.IsBytecode(data) || !slices.ContainsFunc(found, mayHave) {
		return all, nil
	}
	text, _ := strings.CutPrefix(string(data), byteOrderMark)
	err := mlir.OnLargeStack(func() error {
		context := library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
		defer context.Close()
		e := editing{source: newSource(context, text, analyzers), checks: maxChecks}
		for _, batch := range batches(e.proposals(found, analyzers, wanted)) {
			for _, p := range e.right(batch) {
				all[p.finding] = p.shifted(len(data) - len(text))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// maxChecks is how many edited texts are parsed at most. As many as one operation has findings
// suffice, unless a repair cannot be made in the text.
const maxChecks = 100

// maxTogether is how many operations the edits of one finding change at most. Each finding has all
// of these edits.
const maxTogether = 100

// An editing is the state of Edits.
type editing struct {
	*source
	checks int // that are left
}

// A proposal has the edits of a finding before they are checked.
type proposal struct {
	finding int
	changes map[int]change
	edits   []Edit
}

// proposals returns the wanted findings that may have edits.
func (e *editing) proposals(
	found []finding.Finding, analyzers []*lint.Analyzer, wanted func(finding.Finding) bool,
) []proposal {
	explains := func(d finding.Finding) bool {
		return slices.ContainsFunc(analyzers, func(a *lint.Analyzer) bool { return a.Name == d.Rule && a.Relax != nil })
	}
	together := map[int]change{} // if the library refuses the text
	for _, d := range found {
		if isLocal(d) && explains(d) {
			together[d.Operation] = together[d.Operation].with(d.Fix)
		}
	}
	var all []proposal
	for i, d := range found {
		if !isLocal(d) || !wanted(d) || d.Operation > len(e.byNumber) ||
			d.Fix.Erase && used(e.byNumber[d.Operation-1]) {
			continue
		}
		changes := map[int]change{d.Operation: change{}.with(d.Fix)}
		if e.restore != nil {
			if !explains(d) || len(together) > maxTogether {
				continue
			}
			changes = together
		}
		if edits, ok := e.edits(changes); ok && len(edits) > 0 {
			all = append(all, proposal{i, changes, edits})
		}
	}
	return all
}

// batches divides proposals so that those in a batch do not change one operation in different ways.
func batches(all []proposal) (list [][]proposal) {
	var changes []map[int]change // of each batch
	for _, p := range all {
		at := slices.IndexFunc(changes, p.fits)
		if at < 0 {
			at = len(list)
			list, changes = append(list, nil), append(changes, map[int]change{})
		}
		list[at] = append(list[at], p)
		maps.Copy(changes[at], p.changes)
	}
	return list
}

// fits reports whether changes have no other change of the same operations.
func (p proposal) fits(changes map[int]change) bool {
	for number, c := range p.changes {
		if other, ok := changes[number]; ok && !other.equal(c) {
			return false
		}
	}
	return true
}

// right returns the proposals of a batch that make their repairs. If they do not together, it
// checks each half.
func (e *editing) right(batch []proposal) []proposal {
	if e.checks == 0 {
		return nil
	}
	e.checks--
	if e.areRight(batch) {
		return batch
	}
	n := len(batch)
	if n == 1 {
		return nil
	}
	return append(e.right(batch[:n/2:n/2]), e.right(batch[n/2:])...)
}

// areRight reports whether the text with the edits of a batch is the module with its changes.
func (e *editing) areRight(batch []proposal) bool {
	changes := map[int]change{}
	for _, p := range batch {
		maps.Copy(changes, p.changes)
	}
	edits, ok := e.edits(changes)
	if !ok {
		return false
	}
	m := e.module.Clone()
	defer m.Close()
	if applyAll(slices.Collect(m.Operation().All()), changes) != nil {
		return false
	}
	text := e.edited(edits)
	if e.restore != nil {
		e.restore(m)
		return same(m.Context(), text, genericForm(m.Operation()))
	}
	parsed, err := m.Context().Parse("", []byte(text))
	if err != nil {
		return false
	}
	defer parsed.Close()
	return e.alike(m, parsed, changes)
}

// alike reports whether the module of an edited text is another one, which has the changes. It compares only the
// operations in the module's body that have changes in them: the text of the others is the same.
func (e *editing) alike(want, got *mlir.Module, changes map[int]change) bool {
	changed := map[mlir.Operation]bool{} // in the body
	for number := range changes {
		op := e.byNumber[number-1]
		if number == 1 || op.Parent() == e.module.Operation() { // the module, or what may be erased
			return equalForms(genericForm(want.Operation()), genericForm(got.Operation()))
		}
		for op.Parent() != e.module.Operation() {
			op = op.Parent()
		}
		changed[op] = true
	}
	inBody := func(m *mlir.Module) []mlir.Operation { return slices.Collect(m.Body().Operations()) }
	after, now := inBody(want), inBody(got)
	if len(after) != len(now) {
		return false
	}
	for i, op := range inBody(e.module) {
		if changed[op] && !equalForms(localForm(after[i]), localForm(now[i])) {
			return false
		}
	}
	return true
}

// shifted returns the edits in a text with so many bytes before it.
func (p proposal) shifted(by int) []Edit {
	edits := slices.Clone(p.edits)
	for i := range edits {
		edits[i].Start += by
		edits[i].End += by
	}
	return edits
}
