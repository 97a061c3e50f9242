package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// refuseBits returns an error for a conversion between booleans and the bits of a wider type. XLA takes a boolean for
// eight bits there: it ends the process, refuses the module without a place, or returns a part of the bits.
func refuseBits(m *mlir.Module) error {
	for op := range m.Operation().Index().Named("stablehlo.bitcast_convert") {
		if PacksBooleans(op) {
			return fmt.Errorf("stablehlo: %s: XLA cannot compile a bitcast_convert of %s to %s: convert booleans to integers, shift them by an iota, and reduce them with or; or shift an integer, and compare its lowest bit with 0",
				op.Location().Position(), op.Operand(0).Type(), op.Result(0).Type())
		}
	}
	return nil
}

// PacksBooleans reports whether a bitcast_convert is one between booleans and the bits of a wider type, for which XLA
// has no right code.
func PacksBooleans(convert mlir.Operation) bool {
	from, _ := convert.Operand(0).Type().Element()
	to, _ := convert.Result(0).Type().Element()
	wide, _, _ := from.IntegerWidth()
	narrow, _, _ := to.IntegerWidth()
	return (wide == 1) != (narrow == 1)
}
