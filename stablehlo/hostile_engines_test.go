//go:build engines

package stablehlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestHostileTools checks that mlir-lint and mlir-run outlive them, too.
func TestHostileTools(t *testing.T) { mlirtest.HostileTools(t, "..", samples) }
