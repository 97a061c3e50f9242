package passes

import (
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// CorrectConversions rewrites operations on element types of which XLA makes something else: a bitcast_convert to the
// same type is removed, a complex number is converted by way of its real part, numbers of 4 bits are made integers by
// way of f32, a number that XLA rounds to f32 first is given bits with which the second rounding is right, numbers of
// f8E3M4 are rounded to integers in f32, and the bits of an integer of fewer than 8 bits are counted in a wider one. It
// returns the number of operations that it replaced.
//
// See Prepare.
func CorrectConversions(m *mlir.Module) (int, error) {
	n := 0
	for op := range m.Operation().Index().Named(conversions...) {
		x, t := op.Operand(0), op.Result(0).Type()
		element, _ := t.Element()
		from, _ := x.Type().Element()
		e := before(op)
		switch bits, _, _ := element.IntegerWidth(); {
		case strings.HasPrefix(op.Name(), "stablehlo.round_nearest"):
			if !roundsToNaN(op) {
				continue
			}
			f32 := m.Context().F32Type()
			round := stablehlo.RoundNearestAfz
			if op.Name() == "stablehlo.round_nearest_even" {
				round = stablehlo.RoundNearestEven
			}
			x = e.to(round(e.Builder, e.to(x, f32)), element)
		case op.Name() == "stablehlo.bitcast_convert":
			if !t.Equal(x.Type()) {
				continue
			}
		case op.Name() == "stablehlo.convert":
			_, complex := from.ComplexElement()
			_, both := element.ComplexElement()
			switch {
			case saturates(op):
				x = stablehlo.Convert(e.Builder, t, e.to(x, m.Context().F32Type()))
			case complex && !both:
				x = stablehlo.Convert(e.Builder, t, stablehlo.Real(e.Builder, x))
			case roundsTwice(op):
				x = stablehlo.Convert(e.Builder, t, e.roundOnce(x))
			default:
				continue
			}
		case bits >= 8:
			continue
		default:
			wide, err := withElement(t, m.Context().IntegerType(8, mlir.Unsigned))
			if err != nil {
				return n, err
			}
			// XLA may widen the bits with the sign, also those of an unsigned integer.
			x = stablehlo.And(e.Builder, stablehlo.Convert(e.Builder, wide, x), e.filled(wide, 1<<bits-1))
			x = stablehlo.Convert(e.Builder, t, stablehlo.Popcnt(e.Builder, x))
		}
		if e.Err() != nil {
			return n, e.Err()
		}
		op.Result(0).ReplaceAllUses(x)
		if err := op.Erase(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// roundsToNaN reports whether XLA, where it folds constants, rounds numbers to NaN: it adds one that is too large for
// their type.
func roundsToNaN(op mlir.Operation) bool {
	element, _ := op.Result(0).Type().Element()
	kind, _ := element.FloatKind()
	return kind == mlir.F8E3M4
}

// saturates reports whether XLA takes the largest number of 4 bits for one beyond an integer's range, which is
// rounded to that number.
func saturates(op mlir.Operation) bool {
	from, _ := op.Operand(0).Type().Element()
	kind, isFloat := from.FloatKind()
	to, _ := op.Result(0).Type().Element()
	bits, _, isInteger := to.IntegerWidth()
	return isFloat && kind.Bits() < 6 && isInteger && bits > 1
}

// conversions are the operations that CorrectConversions rewrites.
var conversions = []string{"stablehlo.bitcast_convert", "stablehlo.convert", "stablehlo.popcnt",
	"stablehlo.round_nearest_afz", "stablehlo.round_nearest_even"}
