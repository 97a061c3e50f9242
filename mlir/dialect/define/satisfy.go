package define

import (
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/internal/text/nearest"
)

// The library loads a definition that nothing can meet, and reports it at each use. These functions find such ones
// while the dialect is made.

// instance checks an Instance against the type or attribute of the dialect that it names.
func (w *definitionWriter) instance(c *Constraint, name string) {
	p, ok := w.parametric[name]
	if !ok {
		near := nearest.Name(name, maps.Keys(w.parametric))
		w.check(false, "Instance has the name %q, which the dialect does not define%s", c.text, nearest.Hint(near))
		return
	}
	if len(c.of) != len(p.Params) {
		w.check(false, "Instance of %s has %d parameters, but %s has %d", c.text, len(c.of), name, len(p.Params))
		return
	}
	for i, param := range p.Params {
		w.check(!w.disjoint(c.of[i], param.Is),
			"Instance of %s has a constraint for the parameter %s that excludes the constraint which it has in %s",
			c.text, param.Name, name)
	}
}

// maxSteps is how many pairs of constraints the search for contradictions compares: constraints may share others, so
// that there can be more pairs than anybody can wait for. The library reports what is left at its uses.
const maxSteps = 1 << 16

func (w *definitionWriter) step() bool {
	w.steps++
	return w.steps <= maxSteps
}

// disjoint reports whether nothing meets both constraints. False may also mean that it is not known.
func (w *definitionWriter) disjoint(a, b *Constraint) bool {
	if a == nil || b == nil || a == b || !w.step() {
		return false
	}
	with := func(other *Constraint) func(*Constraint) bool {
		return func(c *Constraint) bool { return w.disjoint(c, other) }
	}
	for _, pair := range [][2]*Constraint{{a, b}, {b, a}} {
		switch c, other := pair[0], pair[1]; c.op {
		case "irdl.any":
			return false
		case "irdl.any_of":
			return len(c.of) > 0 && all(c.of, with(other))
		case "irdl.all_of":
			return slices.ContainsFunc(c.of, with(other))
		}
	}
	if a.op != b.op || a.text != b.text { // nothing of this dialect exists yet that Is could have got
		return true
	}
	for i := range min(len(a.of), len(b.of)) {
		if w.disjoint(a.of[i], b.of[i]) {
			return true
		}
	}
	return false
}

// onlyAttributes reports whether no type meets a constraint.
func (w *definitionWriter) onlyAttributes(c *Constraint) bool {
	if c == nil || !w.step() {
		return false
	}
	switch c.op {
	case "irdl.is":
		return c.attribute
	case "irdl.any_of":
		return len(c.of) > 0 && all(c.of, w.onlyAttributes)
	case "irdl.all_of":
		return slices.ContainsFunc(c.of, w.onlyAttributes)
	}
	return slices.ContainsFunc(w.attributes, func(p Parametric) bool { return w.dialect+"."+p.Name == c.text })
}

func all(list []*Constraint, f func(*Constraint) bool) bool {
	return !slices.ContainsFunc(list, func(c *Constraint) bool { return !f(c) })
}
