//go:build engines

package main

import (
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// TestRust needs cargo.
func TestRust(t *testing.T) { testHost(t, "rust") }

// TestJAX installs JAX when it runs for the first time.
func TestJAX(t *testing.T) { testHost(t, "jax") }

// TestPython runs programs of testdata, which check themselves: taps.py holds that calliope.tap is called as
// jax.debug.callback is, and calls.py what calls do under JAX's transformations and on several devices.
func TestPython(t *testing.T) {
	root, err := filepath.Abs("../..")
	check.NoError(t, err)
	w := &work{ctx: t.Context(), root: root, folder: t.TempDir(), out: t.Output()}
	check.NoError(t, w.library("libcalliope.so", "./c/shared"))
	for _, program := range []string{"calls.py", "taps.py"} {
		t.Run(program, func(t *testing.T) {
			check.NoError(t, w.python("examples/embed/testdata/"+program, w.built("libcalliope.so")))
		})
	}
}
