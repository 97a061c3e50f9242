//go:build engines

package bridge

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/nativetest"
)

// onlyXLA are the tests of what only XLA does, besides those of its plugins, and of what is slow.
var onlyXLA = []string{
	// Flags, the files and the log that XLA writes, and what it says of modules that it refuses.
	"TestCache", "TestFlags", "TestFlagsAreOfOneCompile", "TestEnvironmentFlags", "TestVLog", "TestNaN", "TestExact",
	"TestStoredModules", "TestHints", "TestFeedsAreRefused", "TestPermutesAreRefused", "TestSourceIsNoModule",
	// Calls that are made at the same time: on several devices, or by a program that need not wait.
	"TestBarrierDevice", "TestStopBetweenCollectives", "TestCallbackWaitsForRun", "TestDeferredOverlap",
	// What it makes of a module: layouts, shardings in another spelling, calls that it puts together.
	"TestOutputLayout", "TestLayouts", "TestShardings", "TestCallbacks", "TestCallbacksAsInstantiated",
	// GSPMD's own custom calls, tokens that are no effects, and the names of its platform and versions.
	"TestJAXOnDevices", "TestTokensOfOthers", "TestLoadRefused", "TestProgramVersion",

	"TestFurtherPlugins", "TestLoadOfAnotherPlugin", "TestOwnPlugin",
	"TestSavingDoesNotGrow", "TestHostileMethods", "TestDeadlineOfSmallModule",
}

// TestOwnPlugin runs the other tests of this package on c/plugin, which is another Go runtime in the process.
func TestOwnPlugin(t *testing.T) {
	nativetest.OnPlugin(t, nativetest.OwnPlugin(t), "-test.skip=^("+strings.Join(onlyXLA, "|")+")$",
		"TestOpen", "TestWaysOfDispatch", "TestCallbackErrors", "TestReplicas", "TestPartitions", "TestStress",
		"TestBorrowFromHost", "TestDonate", "TestCancelledLoop", "TestLoadInAnotherProcess", "TestMemoryDoesNotGrow",
		"TestJAXAfterFailure", "TestSequenceLeaksNothing")
}
