//go:build engines

package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestExtracted checks that the committed tables of StableHLO and CHLO match the wheels.
func TestExtracted(t *testing.T) {
	dir := t.TempDir()
	e := newExtraction(mlirtest.Context(t), mlirtest.ContextOf(t, mlirtest.Jaxlib(t)))
	for _, wheel := range []struct{ name, python, platform string }{
		{"jaxlib-0.5.3", "311", "manylinux2014_x86_64"}, {newerHLO, "312", "manylinux_2_27_x86_64"},
	} {
		download := exec.Command("python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
			"--disable-pip-version-check", "--python-version", wheel.python, "--implementation", "cp",
			"--abi", "cp"+wheel.python, "--platform", wheel.platform, "-d", dir,
			strings.Replace(wheel.name, "-", "==", 1))
		if out, err := download.CombinedOutput(); err != nil {
			t.Fatalf("pip cannot fetch %s: %v\n%s", wheel.name, err, out)
		}
		check.NoError(t, e.addWheel(dir, wheel.name))
	}
	files := e.files()
	want := map[string][]byte{}
	for dialect := range ownDialects {
		want[tableFile(dialect)] = files[tableFile(dialect)]
	}
	check.Files(t, root, want, "the wheels' tables")
}
