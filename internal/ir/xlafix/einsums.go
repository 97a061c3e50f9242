package xlafix

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/einsum"
	"github.com/calliope-mlir/calliope/mlir"
)

// expandEinsums replaces products by labels by dot_general and what else they need: XLA translates no unary_einsum,
// gives an einsum the element type of its operands, and an exact compile of an older plugin ends the process on some.
// It returns the number of products that it replaced.
func expandEinsums(m *mlir.Module) (int, error) {
	return replaceEach(m.Operation().Index(), einsum.Names, func(e emitter, op mlir.Operation) (none mlir.Value) {
		if !isStatic(op) {
			return none
		}
		v, err := einsum.Expand(e.Builder, op)
		if err != nil {
			e.Fail(fmt.Errorf("passes: %s at %s: %w", op.Name(), op.Location().Position(), err))
			return none
		}
		return v
	})
}
