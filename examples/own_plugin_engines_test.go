//go:build engines

package examples

import (
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

// TestOwnPlugin runs the programs on c/plugin, by its path alone.
func TestOwnPlugin(t *testing.T) {
	plugin := native.PJRTPlugin.Env() + "=" + nativetest.OwnPlugin(t)
	dir, want := build(t)
	for name, output := range want {
		t.Run(name, func(t *testing.T) { run(t, filepath.Join(dir, name), output, plugin) })
	}
}
