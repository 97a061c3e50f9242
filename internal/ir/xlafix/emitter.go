package xlafix

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
)

// An emitter adds operations, and keeps the first error.
type emitter struct{ rewrite.Emitter }

// before returns an emitter that adds operations before another one, with its location.
func before(op mlir.Operation) emitter { return emitter{rewrite.Before(op)} }

// replaceEach replaces each operation of some names by the value that make returns, unless that is nil. The value gets
// the sharding of the operation, if it is a new one. It returns the number of operations that it replaced.
func replaceEach(
	index *mlir.Index, names []string, make func(e emitter, op mlir.Operation) mlir.Value,
) (n int, err error) {
	for op := range index.Named(names...) {
		e := before(op)
		v := make(e, op)
		if e.Cause() != nil {
			return n, e.Cause()
		}
		if v.IsNil() {
			continue
		}
		if !slices.Contains(op.OperandValues(), v) {
			rewrite.KeepSharding(op, v.Owner())
		}
		op.Result(0).ReplaceAllUses(v)
		if err := op.Erase(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// returnsOf returns the operations by which a function returns.
func returnsOf(f mlir.Operation) (list []mlir.Operation) {
	for block := range f.Region(0).Blocks() {
		if end := block.Terminator(); !end.IsNil() && end.Name() == "func.return" {
			list = append(list, end)
		}
	}
	return list
}
