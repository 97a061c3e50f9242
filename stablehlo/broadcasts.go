package stablehlo

import (
	"fmt"
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// A BroadcastError says that an operation of CHLO broadcasts numbers of a type that the operation it stands for does
// not take.
type BroadcastError struct {
	Operation mlir.Operation
	Type      mlir.Type
	takes     numbers
}

func (e *BroadcastError) Error() string {
	return fmt.Sprintf("%s: %s: it takes %s, not %s: convert the operands first", e.Operation.Location().Position(),
		e.Operation.Name(), e.takes, e.Type)
}

// CheckBroadcasts returns a *[BroadcastError] for the first operation that broadcasts numbers of a wrong type, such as
// a difference of booleans. The definitions of CHLO allow these, but the library's passes make invalid operations of
// them, or end the process. The index lists the operations of a module.
func CheckBroadcasts(index *mlir.Index) error {
	for op := range index.Named(broadcasts...) {
		takes := broadcasting[op.Name()]
		for _, v := range op.Operands() {
			if t := v.Type(); !takes.has(t) {
				return &BroadcastError{op, t, takes}
			}
		}
	}
	return nil
}

// numbers are kinds of element types.
type numbers int

const (
	integers numbers = 1 << iota
	floats
	complexes
	quantizeds
)

func (n numbers) String() string {
	switch n {
	case integers:
		return "integers of 2 bits or more"
	case floats:
		return "floating-point numbers"
	case floats | complexes | quantizeds:
		return "floating-point and complex numbers"
	}
	return "integers of 2 bits or more, and floating-point and complex numbers"
}

func (n numbers) has(t mlir.Type) bool {
	kind := floats
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
	}
	return n&kind != 0
}

var broadcasts = slices.Sorted(maps.Keys(broadcasting))

// broadcasting has what operations take. Others take all types, or their own definitions say what.
var broadcasting = map[string]numbers{
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
}
