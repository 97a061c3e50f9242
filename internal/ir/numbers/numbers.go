// Package numbers tells the kinds of numbers that arrays have.
package numbers

import "github.com/calliope-mlir/calliope/mlir"

// A Kind is one of element types. Numbers of each are among those of the next one.
type Kind int

const (
	Other Kind = iota
	Integer
	Float
	Complex
)

// KindOf returns the kind of an element type, and the bits of an element or its parts. Booleans are integers of one
// bit.
func KindOf(element mlir.Type) (k Kind, bits int) {
	if bits, _, ok := element.IntegerWidth(); ok {
		return Integer, bits
	}
	if f, ok := element.FloatKind(); ok {
		return Float, f.Bits()
	}
	if part, ok := element.ComplexElement(); ok {
		_, bits = KindOf(part)
		return Complex, bits
	}
	return Other, 0
}
