package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// Graph regions, as that of builtin.module, and blocks that nothing reaches may hold
// operations that use one another's results in a cycle, and the verifier takes them. A
// folder that replaces a result by an operand, as that of x + 0 does, then finds the same
// work again for ever. Which folders do, and which passes call them, cannot be asked of
// the library.

// acyclic is an error where an operation in o, or o, uses its own result, and all those on
// the way there may be folded. unless ends the sentence: what else the caller can do.
func (o Operation) acyclic(doing, unless string) error {
	t := o.life.use("Operation.acyclic", o.raw.Ptr)
	bad := capi.Cycle(t, o.raw)
	if bad.Ptr == nil {
		return nil
	}
	return o.life.ctx.operation(bad).refused(doing, "uses its own result, directly or over others, and the library's folders might never "+
		"come to an end there: break the cycle"+unless)
}
