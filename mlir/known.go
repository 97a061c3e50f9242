package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// known caches the properties that the library returned when an operation was created or
// visited: its name and, if it was read, its first result. Both are constant while the
// handle is valid.
type known struct {
	operation Operation
	name      capi.MlirIdentifier
	result    capi.MlirValue
}
