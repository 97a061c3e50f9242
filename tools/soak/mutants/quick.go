package mutants

import (
	"context"
	"slices"
	"strings"
)

// An operation is one that -quick finds.
type operation struct {
	line, column int
	name         string
	stated       place // by the module
}

func operationsOf(found []finding) (list []operation) {
	for _, f := range found {
		if f.Rule == "ignore" { // comments that have no effect
			continue
		}
		o := operation{line: f.Line, column: f.Column}
		o.name, _, _ = strings.Cut(f.Message, " ")
		for _, p := range f.Related {
			if p.Line > 0 { // otherwise it is a name
				o.stated = p
				break
			}
		}
		list = append(list, o)
	}
	return list
}

// quick compares the findings of -quick with the operations in the modules that the library
// accepts. -quick may refuse a module.
func (b *batch) quick(ctx context.Context) error {
	byFile, err := b.lint(ctx, b.exact, "-rules", "found")
	if err != nil {
		return err
	}
	quick, err := b.lint(ctx, b.linter, "-quick")
	if err != nil {
		return err
	}
	for path := range b.inputs {
		found := byFile[path]
		b.tally.add(found)
		if !accepted(found) {
			continue
		}
		if got := quick[path]; !accepted(got) {
			if why := got[0].Message; !strings.Contains(why, "needs the full engine") &&
				!strings.Contains(why, "the string does not end on its line") {
				b.problem(path, "-quick refuses it: %s", why)
			}
			continue
		}
		want, got := operationsOf(found), operationsOf(quick[path])
		if !slices.Equal(want, got) {
			b.problem(path, "-quick finds %v, and the library %v", got, want)
		}
		b.tally.count(&b.tally.compared, 1)
		b.tally.count(&b.tally.agreed, len(want))
	}
	return nil
}
