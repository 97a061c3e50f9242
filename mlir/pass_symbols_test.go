package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestPassUnknownSymbols holds that passes which ask for the uses of symbols do not run
// where the library cannot tell them, and that they and others run elsewhere.
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
		for _, pass := range []string{"inline", "inline{max-iterations=2}", "duplicate-function-elimination", "remove-dead-values"} {
			pipeline := "builtin.module(cse, " + pass + ")"
			if _, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: pipeline}); err != nil {
				continue // not every library has all of them
			}
			check.Error(t, run(pipeline, unknown), "-:3:3: error: 't.table' op has a region and belongs to no dialect that the library knows")
			if err := run(pipeline, known); err != nil {
				t.Errorf("%s: %v", pass, err)
			}
		}
		if err := run("builtin.module(cse, canonicalize)", unknown); err != nil {
			t.Error(err)
		}
	})
}
