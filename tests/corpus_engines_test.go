//go:build engines

package tests

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// TestCorpusSecondEngine holds that what the default library refuses and its error sends
// to IREE's library, that one takes.
func TestCorpusSecondEngine(t *testing.T) {
	var iree *mlir.Library
	for _, e := range mlirtest.Engines(t) {
		if e.Name == native.IREE.String() {
			iree = e.Library
		}
	}
	if iree == nil {
		t.Fatal("IREE's library is not among the engines")
	}
	taken := func(r corpusRow) bool { return isRefused(r) && r["parses_iree"] == "yes" }
	eachFile(t, taken, func(t *testing.T, _ *mlir.Context, row corpusRow) {
		parse(t, mlirtest.ContextOf(t, iree), row.file(), row.read(t))
	})
}
