package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// Graph regions, such as that of builtin.module, and unreachable blocks may hold operations
// that use one another's results in a cycle, and the verifier accepts them. A folder that
// replaces a result by an operand, as that of x + 0 does, then finds the same work again
// forever. The library does not say which folders do this, or which passes call them.

// acyclic returns an error if an operation in o, or o itself, uses its own result through
// operations that may all be folded. unless is appended to the message: another remedy.
func (o Operation) acyclic(doing, unless string) error {
	t := o.life.use("Operation.acyclic", o.raw.Ptr)
	bad := capi.Cycle(t, o.raw)
	if bad.Ptr == nil {
		return nil
	}
	return o.life.ctx.operation(bad).refused(doing, "uses its own result, directly or through other operations, and the library's folders might never "+
		"terminate: break the cycle"+unless)
}
