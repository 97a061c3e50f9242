//go:build engines

package bridge

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/bridge/internal/saved"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

// TestFurtherPlugins runs the other tests of this package on the CPU plugins that are not the default.
func TestFurtherPlugins(t *testing.T) {
	nativetest.OnFurtherPlugins(t, "-test.skip=^(TestFurtherPlugins|TestLoadOfAnotherPlugin)$",
		"TestOpen", "TestWaysOfDispatch", "TestCallbackErrors", "TestLayouts", "TestLoadInAnotherProcess",
		"TestCacheBindsCallbacks")
}

const saveFor = "CALLIOPE_TEST_SAVE_FOR"

// TestLoadOfAnotherPlugin loads what other plugins saved on this machine, and that behind the beginning of an own file.
func TestLoadOfAnotherPlugin(t *testing.T) {
	c := testClient(t)
	if file := os.Getenv(saveFor); file != "" {
		check.NoError(t, os.WriteFile(file, serialize(t, compile(t, c, negation, engine.CompileOptions{})), 0o600))
		return
	}
	own := serialize(t, compile(t, c, negation, engine.CompileOptions{}))
	for _, p := range nativetest.FurtherPlugins(t) {
		found := check.Must(native.Ensure(t.Context(), p, native.EnsureOptions{}))
		file := filepath.Join(t.TempDir(), "saved")
		savedChild(t, "TestLoadOfAnotherPlugin", native.PJRTPlugin.Env()+"="+found.Path, saveFor+"="+file)
		data := check.Must(os.ReadFile(file))
		_, err := c.Load(t.Context(), data)
		check.Error(t, err, "bridge: Load: ", "for another plugin: PJRT")
		check.Diff(t, string(p), saved.Plugin, check.As[*SavedError](t, err).Reason)
		_, err = c.Load(t.Context(), slices.Concat(own[:saved.Prefix], data[saved.Prefix:]))
		check.Diff(t, string(p), saved.Damaged, check.As[*SavedError](t, err).Reason)
	}
}
