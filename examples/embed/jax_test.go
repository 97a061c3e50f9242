//go:build engines

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/doctest"
)

// TestRust needs cargo.
func TestRust(t *testing.T) { testHost(t, "rust") }

// TestJAX installs JAX when it runs for the first time.
func TestJAX(t *testing.T) { testHost(t, "jax") }

// TestPython runs programs of testdata, which check themselves: taps.py holds that calliope.tap is called as
// jax.debug.callback is, calls.py what calls do under JAX's transformations and on several devices, and names.py that
// calliope.jax_callbacks follows the indices of a module.
func TestPython(t *testing.T) {
	root, err := filepath.Abs("../..")
	check.NoError(t, err)
	w := &work{ctx: t.Context(), root: root, folder: t.TempDir(), out: t.Output()}
	check.NoError(t, w.library("libcalliope.so", "./c/shared"))
	for _, program := range []string{"calls.py", "names.py", "taps.py"} {
		t.Run(program, func(t *testing.T) {
			check.NoError(t, w.python("examples/embed/testdata/"+program, w.built("libcalliope.so")))
		})
	}
}

// TestDocument runs the programs of docs/jax.md. Those in Python write the modules that those in Go run.
func TestDocument(t *testing.T) {
	python := check.Must(jaxPython(t.Context()))
	path := check.Must(filepath.Abs("../../c/python"))
	doctest.Run(t, "../../docs/jax.md", func(file string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), python, file)
		c.Env = append(os.Environ(), "PYTHONPATH="+path, "PYTHONDONTWRITEBYTECODE=1", "JAX_PLATFORMS=cpu")
		return c
	}, "callbacks.py", "callbacks", "length.py", "length", "shares.py", "shares", "train.py", "train")
}
