package jit

import "github.com/calliope-mlir/calliope/mlir"

// replaceEach replaces each operation of some names by the value that make returns, unless that is nil.
func replaceEach(
	m *mlir.Module, make func(b *mlir.Builder, op mlir.Operation) mlir.Value, names ...string,
) error {
	for op := range m.Operation().Index().Named(names...) {
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		v := make(b, op)
		if b.Err() != nil {
			return b.Err()
		}
		if v.IsNil() {
			continue
		}
		op.Result(0).ReplaceAllUses(v)
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}
