package stablehlo

import (
	"fmt"
	"iter"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Untranslated returns the operations that XLA's CPU compiler cannot translate, on which it ends the process or fails
// without a place, and why: it has no numbers of 6 bits, no remainder of complex numbers, and no conversion of their
// bits. The index lists the operations of a module.
func Untranslated(index *mlir.Index) iter.Seq2[mlir.Operation, string] {
	return func(yield func(mlir.Operation, string) bool) {
		// Other operations get numbers of 6 bits from these: arrays of the host have none.
		for op := range index.Named("chlo.broadcast_remainder", "stablehlo.bitcast_convert", "stablehlo.constant",
			"stablehlo.convert", "stablehlo.remainder") {
			if why := untranslated(op); why != "" && !yield(op, why) {
				return
			}
		}
	}
}

// untranslated returns why XLA cannot translate an operation, or "".
func untranslated(op mlir.Operation) string {
	for _, v := range op.Results() {
		if element, ok := v.Type().Element(); ok && strings.HasPrefix(element.String(), "f6E") {
			return fmt.Sprintf("XLA has no code for its result %s: use a type of 8 bits", v.Type())
		}
	}
	switch op.Name() {
	case "stablehlo.remainder", "chlo.broadcast_remainder":
		if element, _ := op.Result(0).Type().Element(); isComplex(element) {
			return "XLA has no code for the remainder of complex numbers: take real and imaginary parts"
		}
	case "stablehlo.bitcast_convert":
		from, _ := op.Operand(0).Type().Element()
		to, _ := op.Result(0).Type().Element()
		if !from.Equal(to) && (isComplex(from) || isComplex(to)) {
			return fmt.Sprintf("XLA has no code for the bits of %s as %s: convert those of real and imaginary parts",
				from, to)
		}
	}
	return ""
}

func isComplex(element mlir.Type) bool {
	_, ok := element.ComplexElement()
	return ok
}
