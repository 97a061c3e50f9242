package lower

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// fold replaces operations that only return an operand. MLIR would do so later, when it has been decided which values
// have a buffer of their own.
func fold(m *mlir.Module) error {
	var list []mlir.Operation
	for op := range m.Operation().All() {
		if same(op) >= 0 {
			list = append(list, op)
		}
	}
	for _, op := range list {
		op.Result(0).ReplaceAllUses(op.Operand(same(op)))
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// same returns which operand an operation returns as it is, or -1.
func same(op mlir.Operation) int {
	isKind := func(i int) bool { return op.Operand(i).Type().Equal(op.Result(0).Type()) }
	if op.NumResults() != 1 || op.NumOperands() == 0 {
		return -1
	}
	if op.Name() == "stablehlo.dynamic_update_slice" && isKind(1) {
		return 1
	}
	if s, ok := stablehlo.AsSelect(op); ok {
		which, known := truth(s.Pred)
		switch {
		case s.OnTrue.Equal(s.OnFalse), known && which:
			return 1
		case known:
			return 2
		}
		return -1
	}
	if isKind(0) && keepsOrder(op) {
		return 0
	}
	return -1
}

// keepsOrder reports whether an operation returns its first operand, of whose type the result is.
func keepsOrder(op mlir.Operation) bool {
	// moves reports whether dimensions of more than one element are not in order.
	moves := func(order []int64) bool {
		last := int64(-1)
		for d, n := range order {
			if dims(op.Operand(0))[d] == 1 {
				continue
			}
			if n < last {
				return true
			}
			last = n
		}
		return false
	}
	switch op.Name() {
	case "stablehlo.slice", "stablehlo.dynamic_slice", "stablehlo.reshape", "stablehlo.convert":
		return true
	case "stablehlo.concatenate":
		return op.NumOperands() == 1
	}
	if o, ok := stablehlo.AsBroadcastInDim(op); ok {
		return !moves(o.BroadcastDimensions)
	}
	if o, ok := stablehlo.AsTranspose(op); ok {
		var places []int64
		for d := range o.Permutation {
			places = append(places, int64(slices.Index(o.Permutation, int64(d))))
		}
		return !moves(places)
	}
	if o, ok := stablehlo.AsReverse(op); ok {
		return !slices.ContainsFunc(o.Dimensions, func(d int64) bool { return dims(op.Operand(0))[d] > 1 })
	}
	if o, ok := stablehlo.AsPad(op); ok {
		isZero := func(n int64) bool { return n == 0 }
		return all(o.EdgePaddingLow, isZero) && all(o.EdgePaddingHigh, isZero) && all(o.InteriorPadding, isZero)
	}
	return false
}

func all(list []int64, is func(int64) bool) bool {
	return !slices.ContainsFunc(list, func(n int64) bool { return !is(n) })
}

// truth returns what all elements of a constant are.
func truth(v mlir.Value) (value, known bool) {
	for v.IsResult() && v.Owner().Name() == "stablehlo.broadcast_in_dim" {
		v = v.Owner().Operand(0)
	}
	if !v.IsResult() || v.Owner().Name() != "stablehlo.constant" {
		return false, false
	}
	elements, _ := v.Owner().Attribute("value")
	if !elements.IsSplat() {
		return false, false
	}
	first, _ := elements.ElementAt(make([]int64, len(dims(v)))...)
	return first.Bool()
}
