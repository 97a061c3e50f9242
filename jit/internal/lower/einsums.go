package lower

import (
	"github.com/calliope-mlir/calliope/internal/ir/einsum"
	"github.com/calliope-mlir/calliope/mlir"
)

// Einsums makes products of the operations einsum of a module. MLIR's pass knows only those of floats, whose partial
// sums it rounds.
func Einsums(m *mlir.Module) error {
	for op := range m.Operation().Index().Named(einsum.Names...) {
		v, err := einsum.Expand(mlir.NewBuilder(mlir.Before(op), op.Location()), op)
		if err != nil {
			return Refuse(op, Reason(err))
		}
		op.Result(0).ReplaceAllUses(v)
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}
