package autodiff

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// An Error reports an operation that has no derivative, or a function that cannot be differentiated.
type Error struct {
	Operation string        // its name, for example "stablehlo.while"
	Place     mlir.Position // where it is in the source, as far as the module says
	Reason    string        // why, and what to do
}

func (e *Error) Error() string {
	return fmt.Sprintf("autodiff: %s at %s: %s", e.Operation, e.Place, e.Reason)
}

// fail ends the transformation because of an operation.
func fail(op mlir.Operation, format string, args ...any) {
	check(&Error{op.Name(), op.Location().Position(), fmt.Sprintf(format, args...)})
}
