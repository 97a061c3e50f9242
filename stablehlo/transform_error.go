package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// A TransformError reports that an operation has no derivative or no batch, or that a function cannot be transformed.
// Packages autodiff and vmap return it.
type TransformError struct {
	Operation string        // its name, for example "stablehlo.while"
	Position  mlir.Position // where it is in the source, as far as the module says
	Reason    string        // why, and what to do
}

func (e *TransformError) Error() string {
	return fmt.Sprintf("stablehlo: transforming %s at %s: %s", e.Operation, e.Position, e.Reason)
}
