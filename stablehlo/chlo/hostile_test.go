package chlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestHostile checks that invalid operands, attributes and regions do not crash the type
// inference or the verifier of an operation.
func TestHostile(t *testing.T) { mlirtest.Hostile(t, samples) }

// TestHostileText checks the same of attributes in text and bytecode.
func TestHostileText(t *testing.T) { mlirtest.HostileText(t, samples) }
