package stablehlo

import (
	"fmt"
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// An ElementError says that an operation of CHLO has numbers of a type of which the library's passes do not make
// StableHLO.
type ElementError struct {
	Operation mlir.Operation
	Type      mlir.Type
	takes     numbers
}

func (e *ElementError) Error() string {
	return fmt.Sprintf("%s: %s: it takes %s, not %s: convert the operands first", e.Operation.Location().Position(),
		e.Operation.Name(), e.takes, e.Type)
}

// CheckElements returns an *[ElementError] for the first operation of CHLO on numbers of a wrong type, such as a
// difference of booleans that are broadcast, or erf of f8E5M2. The definitions of CHLO allow these, but the library's
// passes fail, make invalid operations of them, or end the process. The index lists the operations of a module.
func CheckElements(index *mlir.Index) error {
	for op := range index.Named(limited...) {
		takes := limits[op.Name()]
		for _, v := range op.Operands() {
			if t := v.Type(); !takes.has(t) {
				return &ElementError{op, t, takes}
			}
		}
	}
	return nil
}

// numbers are kinds of element types.
type numbers int

const (
	integers numbers = 1 << iota
	smalls           // floating-point numbers of less than 16 bits
	wides
	complexes
	quantizeds

	floats = smalls | wides
)

func (n numbers) String() string {
	switch n {
	case integers:
		return "integers of 2 bits or more"
	case floats:
		return "floating-point numbers"
	case wides:
		return "floating-point numbers of 16 bits or more"
	case floats | complexes | quantizeds:
		return "floating-point and complex numbers"
	}
	return "integers of 2 bits or more, and floating-point and complex numbers"
}

func (n numbers) has(t mlir.Type) bool {
	kind := smalls
	element, _ := t.Element()
	if bits, _, ok := element.IntegerWidth(); ok {
		if bits == 1 {
			return false
		}
		kind = integers
	} else if isComplex(element) {
		kind = complexes
	} else if IsQuantized(t) {
		kind = quantizeds
	} else if f, _ := element.FloatKind(); f.Bits() >= 16 {
		kind = wides
	}
	return n&kind != 0
}

var limited = slices.Sorted(maps.Keys(limits))

// limits has what operations take. Others take all types, or their own definitions say what.
var limits = map[string]numbers{
	"chlo.bessel_i1e":                       wides,
	"chlo.broadcast_atan2":                  floats | complexes | quantizeds,
	"chlo.broadcast_divide":                 integers | floats | complexes | quantizeds,
	"chlo.broadcast_next_after":             floats,
	"chlo.broadcast_polygamma":              floats,
	"chlo.broadcast_power":                  integers | floats | complexes | quantizeds,
	"chlo.broadcast_remainder":              integers | floats | complexes | quantizeds,
	"chlo.broadcast_shift_left":             integers,
	"chlo.broadcast_shift_right_arithmetic": integers,
	"chlo.broadcast_shift_right_logical":    integers,
	"chlo.broadcast_subtract":               integers | floats | complexes | quantizeds,
	"chlo.erf":                              wides,
	"chlo.erfc":                             wides,
}
