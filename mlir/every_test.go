package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
)

// TestEveryOperation holds that no operation that a library knows ends the process where
// it is made with few attributes, or where attributes are removed from it.
func TestEveryOperation(t *testing.T) { mlirtest.EveryOperation(t) }
