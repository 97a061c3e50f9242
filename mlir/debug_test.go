package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestDebug(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		for _, on := range []bool{true, false} {
			// A type that nothing prints under keeps the test's output empty.
			if err := e.Library.SetDebug(on, "no-such-type", "nor-this"); err != nil || e.Library.Debug() != on {
				t.Errorf("SetDebug(%v): %v, and Debug() = %v", on, err, e.Library.Debug())
			}
		}
	})
}
