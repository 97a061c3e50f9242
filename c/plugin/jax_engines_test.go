//go:build engines

package main

import (
	"fmt"
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
	for _, version := range jaxenv.Versions() {
		t.Run(version, func(t *testing.T) {
			library := filepath.Join(t.TempDir(), "handlers.so")
			headers := output(t, exec.Command(pythonWith(t, version), "-c",
				"import jax.ffi; print(jax.ffi.include_dir(), end='')"))
			output(t, exec.Command("c++", "-std=c++17", "-shared", "-fPIC", "-o", library, "-I", headers,
				filepath.Join("testdata", "handlers.cc")))
			run(t, version, 1, "programs.py", library)
		})
	}
}

// TestDevices runs programs of JAX for four devices.
func TestDevices(t *testing.T) {
	versions := jaxenv.Versions()
	for _, version := range []string{versions[0], versions[len(versions)-1]} {
		t.Run(version, func(t *testing.T) { run(t, version, 4, "devices.py") })
	}
}

func pythonWith(t *testing.T, version string) string {
	t.Helper()
	path, err := jaxenv.Python(t.Context(), version)
	check.NoError(t, err)
	return path
}

// run runs a program of testdata with the plugin as JAX's backend.
func run(t *testing.T, version string, devices int, program string, args ...string) {
	packages := t.TempDir()
	check.NoError(t, os.Mkdir(filepath.Join(packages, "jax_plugins"), 0o755))
	check.NoError(t, os.Symlink(filepath.Join(cctest.Root(), "c", "python", "calliope_jax"),
		filepath.Join(packages, "jax_plugins", "calliope")))
	cmd := exec.CommandContext(t.Context(), pythonWith(t, version), append([]string{filepath.Join("testdata", program)},
		args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+packages, "PYTHONDONTWRITEBYTECODE=1", "CALLIOPE_PJRT="+built,
		"JAX_PLATFORMS=calliope,cpu", fmt.Sprint("CALLIOPE_DEVICES=", devices))
	output(t, cmd)
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
