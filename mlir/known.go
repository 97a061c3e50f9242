package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// known is what the library said of an operation when it was made or visited, so that
// the questions which come next need not ask again: its name and its first result,
// where that was asked. Both stay the same for as long as the handle is good.
type known struct {
	operation Operation
	name      capi.MlirIdentifier
	result    capi.MlirValue
}
