//go:build engines

package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// TestHintTables checks the tables of hint.go against the libraries.
func TestHintTables(t *testing.T) {
	dialects, newer := mlir.HintTables()
	byTitle := map[string]native.Part{"default": native.MLIR, native.IREE.String(): native.IREE, native.LLVM.String(): native.LLVM, native.Jaxlib.String(): native.Jaxlib}
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		part := byTitle[e.Name]
		c := mlirtest.ContextOf(t, e.Library)
		c.LoadAllDialects()
		check.Diff(t, "dialects", dialects[part], c.Dialects())
		for _, name := range newer {
			if want := part == native.IREE || part == native.MLIR; c.Registered(name) != want {
				t.Errorf("%s is registered: %v", name, !want)
			}
		}
	})
}
