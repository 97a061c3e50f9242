package gomlx

import (
	"testing"

	"github.com/gomlx/compute/support/backendtest"
)

// TestBackend holds the backend to the suite of GoMLX, which skips what Capabilities does not list: fused operations.
func TestBackend(t *testing.T) {
	backendtest.RunAll(t, open(t, "dynamic"), nil)
}
