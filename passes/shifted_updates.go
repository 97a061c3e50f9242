package passes

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// KeepShiftedUpdates protects an array that is updated by what is computed of itself, such as a shifted slice, and then
// only gets another shape. XLA computes the update in place, and reads elements that it has written already.
// KeepShiftedUpdates puts an optimization barrier between the update and the new shape. It returns the number of
// updates that it protected.
//
// See Prepare.
func KeepShiftedUpdates(m *mlir.Module) (int, error) {
	n := 0
	for _, op := range shiftedUpdates(m.Operation().Index()) {
		e := mlir.NewBuilder(mlir.After(op), op.Location())
		updated := op.Result(0)
		reshaped := reshapes(updated)
		kept := stablehlo.OptimizationBarrier(e, updated).Result(0)
		if e.Err() != nil {
			return n, e.Err()
		}
		for _, use := range reshaped {
			use.Owner.SetOperand(use.Operand, kept)
		}
		n++
	}
	return n, nil
}

// shiftedUpdates returns the updates that XLA computes in place though it must not.
func shiftedUpdates(index *mlir.Index) (list []mlir.Operation) {
	for op := range index.Named("stablehlo.dynamic_update_slice") {
		if len(reshapes(op.Result(0))) > 0 && isOf(op.Operand(1), op.Operand(0), map[mlir.Value]bool{}) {
			list = append(list, op)
		}
	}
	return list
}

// isOf reports whether a value is computed of another one, in one block, or of very many.
func isOf(v, of mlir.Value, seen map[mlir.Value]bool) bool {
	if v.Equal(of) || len(seen) > 1000 {
		return true
	}
	if !v.IsResult() || seen[v] {
		return false
	}
	seen[v] = true
	for _, operand := range v.Owner().Operands() {
		if isOf(operand, of, seen) {
			return true
		}
	}
	return false
}

// reshapes returns the uses of an array that give it another shape with as many elements.
func reshapes(v mlir.Value) (uses []mlir.Use) {
	n, _ := v.Type().NumElements()
	for use := range v.Uses() {
		switch use.Owner.Name() {
		case "stablehlo.reshape", "stablehlo.transpose", "stablehlo.broadcast_in_dim":
			if size, _ := use.Owner.Result(0).Type().NumElements(); size == n {
				uses = append(uses, use)
			}
		}
	}
	return uses
}
