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
			library := filepath.Join(t.TempDir(), "handlers.so")
			output(t, exec.Command("c++", "-std=c++17", "-shared", "-fPIC", "-o", library,
				"-I", output(t, exec.Command(python, "-c", "import jax.ffi; print(jax.ffi.include_dir(), end='')")),
				filepath.Join("testdata", "handlers.cc")))
			cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "programs.py"), library)
			cmd.Env = append(os.Environ(), "PYTHONPATH="+packages, "PYTHONDONTWRITEBYTECODE=1", "CALLIOPE_PJRT="+built,
				"JAX_PLATFORMS=calliope,cpu")
			output(t, cmd)
		})
	}
}

// output runs a command, and returns what it prints.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}
