package einsum

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/numbers"
	"github.com/calliope-mlir/calliope/mlir"
)

// computed returns the element type in which op is computed.
func (e expander) computed(op mlir.Operation) (element mlir.Type, err error) {
	element, _ = op.Result(0).Type().Element()
	to, bits := numbers.KindOf(element)
	isBoolean := to == numbers.Integer && bits == 1
	for _, x := range op.OperandValues() {
		from, _ := x.Type().Element()
		kind, n := numbers.KindOf(from)
		if kind != to || isBoolean && n != 1 {
			return element, fmt.Errorf("it takes %s and makes %s: convert its operands to %[2]s first", from, element)
		}
		if kind != numbers.Integer && n > bits {
			element, bits = from, n
		}
	}
	if to == numbers.Float && bits < 32 {
		return e.Context().F32Type(), nil
	}
	return element, nil
}
