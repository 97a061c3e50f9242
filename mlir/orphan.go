package mlir

import (
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/guard"
)

// orphan reports whether the verifier would crash on the operation. Printing verifies it too,
// except in the generic form.
func (o Operation) orphan() bool {
	return !o.IsNil() && (o.Parent().IsNil() && guard.NeedsParent(o.Name()) || !o.withoutTable().IsNil())
}

// withoutTable returns an operation in this one that reads the symbol table around it, and is in one of an unknown
// dialect, or the nil operation.
func (o Operation) withoutTable() (found Operation) {
	c := o.life.ctx
	if !c.readsTables {
		return found
	}
	o.Walk(func(op Operation) WalkAction {
		if !guard.ReadsTable(op.Name()) {
			return WalkContinue
		}
		for p := op.Parent(); !p.IsNil() && !guard.HasTable(p.Name()); p = p.Parent() {
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
