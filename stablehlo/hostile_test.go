package stablehlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
)

// TestHostile holds that no operand, attribute or region, however odd, makes the type
// inference or the verifier of an operation end the process.
func TestHostile(t *testing.T) { mlirtest.Hostile(t, samples) }
