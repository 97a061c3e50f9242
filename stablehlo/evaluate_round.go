package stablehlo

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// The interpreter rounds every number of f8E3M4 to NaN: it adds one that is too large for the type. It ofAny the
// precision of numbers of 8 bits as if each of their formats had an infinity, and rounds the exponential of a logistic
// to them, which is NaN in some. So these are computed in f32.

// roundsSmall reports whether an operation rounds small numbers.
func roundsSmall(op mlir.Operation) bool {
	rounding := []string{"stablehlo.ceil", "stablehlo.floor", "stablehlo.round_nearest_afz",
		"stablehlo.round_nearest_even"}
	ofAny := op.Name() == "stablehlo.reduce_precision" || op.Name() == "stablehlo.logistic"
	if !ofAny && !slices.Contains(rounding, op.Name()) {
		return false
	}
	element, _ := op.Result(0).Type().Element()
	kind, isFloat := element.FloatKind()
	return kind == mlir.F8E3M4 || ofAny && isFloat && kind.Bits() <= 8
}

// roundWide makes an operation one on f32.
func roundWide(op mlir.Operation) error {
	result := op.Result(0)
	t := result.Type()
	wide, err := ConvertType(t, op.Context().F32Type())
	if err != nil {
		return err
	}
	b := mlir.NewBuilder(mlir.Before(op), op.Location())
	x := Convert(b, wide, op.Operand(0))
	after := b.At(mlir.After(op))
	v := Convert(after, t, result)
	if err := after.Err(); err != nil {
		return err
	}
	op.SetOperand(0, x)
	result.SetType(wide)
	result.ReplaceAllUsesExcept(v, v.Owner())
	return nil
}
