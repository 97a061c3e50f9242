package passes

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// CorrectConversions rewrites operations on element types of which XLA makes something else: a bitcast_convert to the
// same type is removed, a complex number is converted by way of its real part, and the bits of an integer of fewer than
// 8 bits are counted in a wider one. It returns the number of operations that it replaced.
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
		case op.Name() == "stablehlo.bitcast_convert":
			if !t.Equal(x.Type()) {
				continue
			}
		case op.Name() == "stablehlo.convert":
			_, complex := from.ComplexElement()
			if _, both := element.ComplexElement(); !complex || both {
				continue
			}
			x = stablehlo.Convert(e.Builder, t, stablehlo.Real(e.Builder, x))
		case bits >= 8:
			continue
		default:
			unsigned, err := withElement(t, m.Context().IntegerType(bits, mlir.Unsigned))
			if err != nil {
				return n, err
			}
			wide, err := withElement(t, m.Context().IntegerType(8, mlir.Unsigned))
			if err != nil {
				return n, err
			}
			if !unsigned.Equal(t) {
				x = stablehlo.BitcastConvert(e.Builder, unsigned, x)
			}
			x = stablehlo.Convert(e.Builder, t, stablehlo.Popcnt(e.Builder, stablehlo.Convert(e.Builder, wide, x)))
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

// conversions are the operations that CorrectConversions rewrites.
var conversions = []string{"stablehlo.bitcast_convert", "stablehlo.convert", "stablehlo.popcnt"}
