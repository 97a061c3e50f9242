package stablehlo

import "github.com/calliope-mlir/calliope/mlir"

// PacksBooleans reports whether a bitcast_convert is one between booleans and the bits of a wider type, for which XLA
// has no right code: it takes a boolean for eight bits there. It ends the process, refuses the module without a place,
// or returns a part of the bits.
func PacksBooleans(convert mlir.Operation) bool {
	from, _ := convert.Operand(0).Type().Element()
	to, _ := convert.Result(0).Type().Element()
	wide, _, _ := from.IntegerWidth()
	narrow, _, _ := to.IntegerWidth()
	return (wide == 1) != (narrow == 1)
}
