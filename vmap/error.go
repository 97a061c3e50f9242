package vmap

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// An Error reports an operation that cannot be batched, or a function that cannot.
type Error struct {
	Operation string        // its name, for example "stablehlo.outfeed"
	Place     mlir.Position // where it is in the source, as far as the module says
	Reason    string        // why, and what to do
}

func (e *Error) Error() string {
	return fmt.Sprintf("vmap: %s at %s: %s", e.Operation, e.Place, e.Reason)
}

// refuse returns an error about an operation.
func refuse(op mlir.Operation, format string, args ...any) error {
	return &Error{op.Name(), op.Location().Position(), fmt.Sprintf(format, args...)}
}

// fail ends the transformation because of an operation.
func fail(op mlir.Operation, format string, args ...any) {
	transform.Check(refuse(op, format, args...))
}
