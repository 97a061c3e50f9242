//go:build engines

package bridge

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/nativetest"
)

// TestFurtherPlugins runs the other tests of this package on the CPU plugins that are not the default.
func TestFurtherPlugins(t *testing.T) {
	nativetest.OnFurtherPlugins(t, "-test.skip=^TestFurtherPlugins$",
		"TestOpen", "TestWaysOfDispatch", "TestCallbackErrors", "TestLayouts", "TestLoadInAnotherProcess", "TestCacheBindsCallbacks")
}
