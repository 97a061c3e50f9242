//go:build engines

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/jaxenv"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestJAX runs programs of JAX on the plugin, as each version of JAX lowers them.
func TestJAX(t *testing.T) {
	packages := t.TempDir()
	check.NoError(t, os.Mkdir(filepath.Join(packages, "jax_plugins"), 0o755))
	check.NoError(t, os.Symlink(filepath.Join(cctest.Root(), "c", "python", "calliope_jax"),
		filepath.Join(packages, "jax_plugins", "calliope")))
	for _, version := range jaxenv.Versions() {
		t.Run(version, func(t *testing.T) {
			python, err := jaxenv.Python(t.Context(), version)
			check.NoError(t, err)
			cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "programs.py"))
			cmd.Env = append(os.Environ(), "PYTHONPATH="+packages, "PYTHONDONTWRITEBYTECODE=1", "CALLIOPE_PJRT="+built,
				"JAX_PLATFORMS=calliope,cpu")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}
