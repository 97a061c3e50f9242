package stablehlo

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// The interpreter rounds every number of f8E3M4 to NaN: it adds one that is too large for the type. So f32 is rounded
// there, and converted.

// roundsSmall reports whether an operation rounds numbers of f8E3M4 to integers.
func roundsSmall(op mlir.Operation) bool {
	rounding := []string{"stablehlo.ceil", "stablehlo.floor", "stablehlo.round_nearest_afz",
		"stablehlo.round_nearest_even"}
	if !slices.Contains(rounding, op.Name()) {
		return false
	}
	element, _ := op.Result(0).Type().Element()
	return element.String() == "f8E3M4"
}

// roundWide uses a rounded f32 in the place of the result.
func roundWide(op mlir.Operation) error {
	t := op.Result(0).Type()
	wide, err := ConvertType(t, op.Context().F32Type())
	if err != nil {
		return err
	}
	b := mlir.NewBuilder(mlir.Before(op), op.Location())
	x := Convert(b, wide, op.Operand(0))
	rounded := b.Create(mlir.OperationState{Name: op.Name(), Operands: []mlir.Value{x}, Results: []mlir.Type{wide}})
	if err := b.Err(); err != nil {
		return err
	}
	v := Convert(b, t, rounded.Result(0))
	if err := b.Err(); err != nil {
		return err
	}
	op.Result(0).ReplaceAllUses(v)
	return nil
}
