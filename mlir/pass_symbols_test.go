package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestPassUnknownSymbols checks that passes which need the uses of symbols are refused if
// the library cannot find these, and that these and other passes run elsewhere.
func TestPassUnknownSymbols(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		run := func(pipeline, text string) error {
			return passManager(t, c, mlir.PassManagerOptions{Pipeline: pipeline}).Run(mlirtest.Parse(t, c, text))
		}
		const unknown = `module {
  func.func private @f() { return }
  "t.table"() ({ "t.end"() : () -> () }) : () -> ()
}`
		const known = `module {
  func.func private @f() { return }
  "t.table"() : () -> ()
}`
		for _, pass := range []string{"inline", "inline{max-iterations=2}", "duplicate-function-elimination",
			"remove-dead-values"} {
			pipeline := "builtin.module(cse, " + pass + ")"
			if _, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: pipeline}); err != nil {
				continue // not every library has all passes
			}
			check.Error(t, run(pipeline, unknown), "test.mlir:3:3: error: 't.table' op has a region and is of a dialect that the library does not know")
			if err := run(pipeline, known); err != nil {
				t.Errorf("%s: %v", pass, err)
			}
		}
		check.Report(t, run("builtin.module(cse, canonicalize)", unknown))
	})
}
