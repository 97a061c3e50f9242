package einsum

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// computed returns the element type in which op is computed.
func (e expander) computed(op mlir.Operation) (element mlir.Type, err error) {
	element, _ = op.Result(0).Type().Element()
	to, bits := kindOf(element)
	for _, x := range op.OperandValues() {
		from, _ := x.Type().Element()
		kind, n := kindOf(from)
		if kind != to && !(kind == boolean && to == integer) {
			return element, fmt.Errorf("it takes %s and makes %s: convert its operands to %[2]s first", from, element)
		}
		if kind != integer && n > bits {
			element, bits = from, n
		}
	}
	if to == float && bits < 32 {
		return e.Context().F32Type(), nil
	}
	return element, nil
}

// A kind is that of numbers.
type kind int

const (
	integer kind = iota
	boolean
	float
	complexNumber
)

// kindOf returns the kind of an element type, and the bits of a floating-point number in it.
func kindOf(element mlir.Type) (k kind, bits int) {
	if part, ok := element.ComplexElement(); ok {
		_, bits = kindOf(part)
		return complexNumber, bits
	}
	if k, ok := element.FloatKind(); ok {
		return float, k.Bits()
	}
	if bits, _, _ := element.IntegerWidth(); bits == 1 {
		return boolean, 0
	}
	return integer, 0
}
