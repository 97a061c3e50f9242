package stablehlo

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	functions "github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// refuse returns an error, with places, for a module that XLA must not get: for a misplaced call, or else for the first
// operation of each other kind.
func refuse(m *mlir.Module) error {
	index := m.Operation().Index()
	for _, call := range MisplacedCalls(index) {
		return placed(call.Operation, call)
	}
	var list []error
	if e, ok := errors.AsType[*functions.RecursionError](functions.CheckRecursion(m)); ok { // XLA inlines every call
		list = append(list, placed(e.Function, e))
	}
	if e, ok := errors.AsType[*SizeError](CheckSizes(m)); ok {
		list = append(list, placed(e.Operation, e))
	}
	for op := range index.Named("stablehlo.bitcast_convert") {
		if PacksBooleans(op) {
			list = append(list, placed(op, fmt.Errorf("XLA cannot compile a bitcast_convert of %s to %s: convert booleans to integers, shift them by an iota, and reduce them with or; or shift an integer, and compare its lowest bit with 0", op.Operand(0).Type(), op.Result(0).Type())))
			break
		}
	}
	if err := CheckElements(index); err != nil {
		list = append(list, fmt.Errorf("stablehlo: %w", err))
	}
	for op, why := range Untranslated(index) {
		list = append(list, placed(op, fmt.Errorf("%s: %s", op.Name(), why)))
		break
	}
	return errors.Join(list...)
}

// placed returns an error with the place of an operation.
func placed(op mlir.Operation, err error) error {
	return fmt.Errorf("stablehlo: %s: %w", op.Location().Position(), err)
}
