package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestMisuse holds that wrong arguments of every function get an error that says what to do.
func TestMisuse(t *testing.T) {
	folder, mlir := t.TempDir(), part(t, native.MLIR)
	check.NoError(t, os.WriteFile(filepath.Join(folder, "damaged.so"), []byte("\x7fELF damaged"), 0o600))
	out := runIn(t, []string{"PATH=" + folder}, compile(t, "misuse.c"), folder, mlir)
	out = strings.NewReplacer(folder, "FOLDER", mlir, "MLIR", built, "BUILT").Replace(out)
	golden(t, "misuse.txt", out)
}

// TestIR holds what preflight, legacy custom calls and policies do with a module of the host.
func TestIR(t *testing.T) {
	mlir := part(t, native.MLIR)
	program := compile(t, "ir.c", mlir, "-Wl,-rpath,"+filepath.Dir(mlir))
	golden(t, "ir.txt", run(t, program, mlir))
}

// TestLint holds that modules that cannot be read are findings, and unknown options errors.
func TestLint(t *testing.T) {
	part(t, native.MLIR)
	golden(t, "lint.txt", runIn(t, []string{"CALLIOPE_MLIR_LINT=" + mlirLint(t)}, compile(t, "lint.c")))
}
