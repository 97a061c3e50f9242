package linalg

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/internal/ods"
)

// named creates a named operation and fills its region.
func named(w *ods.Writer) mlir.Operation {
	b := w.Builder()
	op := w.Create()
	if b.Err() == nil {
		b.Fail(FillRegion(op))
	}
	return op
}
