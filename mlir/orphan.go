package mlir

import (
	"slices"
	"strings"
)

// needsParent is an operation whose verifier reads the operation around it without checking
// that there is one. Operations are in none while they are detached, or in a region that is.
const needsParent = "linalg.index"

// orphan reports whether the verifier would crash on the operation. Printing verifies it too,
// except in the generic form.
func (o Operation) orphan() bool {
	return !o.IsNil() && (o.Parent().IsNil() && o.Name() == needsParent || !o.withoutTable().IsNil())
}

// withoutTable returns an operation of readsTable in this one that is in one of an unknown dialect, or the nil
// operation.
func (o Operation) withoutTable() (found Operation) {
	c := o.life.ctx
	if !c.readsTables {
		return found
	}
	o.Walk(func(op Operation) WalkAction {
		if !slices.Contains(readsTable, op.Name()) {
			return WalkContinue
		}
		for p := op.Parent(); !p.IsNil() && !slices.Contains(tables, p.Name()); p = p.Parent() {
			if !c.hasDialectOf(p.Name()) {
				found = op
				return WalkStop
			}
		}
		return WalkContinue
	})
	return found
}

// hasDialectOf reports whether the context knows an operation, or another one of its dialect.
func (c *Context) hasDialectOf(operation string) bool {
	namespace, _, ok := strings.Cut(operation, ".")
	return !ok || c.Registered(operation) || c.lib.HasDialect(namespace)
}
