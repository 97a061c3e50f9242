//go:build engines

package main

import (
	"os/exec"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestExtracted checks that the committed tables of StableHLO and CHLO match the wheel of the
// pinned library.
func TestExtracted(t *testing.T) {
	dir := t.TempDir()
	download := exec.Command("python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
		"--disable-pip-version-check",
		"--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--platform", "manylinux2014_x86_64",
		"-d", dir, "jaxlib==0.5.3")
	if out, err := download.CombinedOutput(); err != nil {
		t.Fatalf("pip cannot fetch the wheel: %v\n%s", err, out)
	}
	e := newExtraction(mlirtest.ContextOf(t, mlirtest.Jaxlib(t)))
	check.NoError(t, e.addWheel(dir, "jaxlib"))
	files := e.files()
	want := map[string][]byte{}
	for dialect := range ownDialects {
		want[tableFile(dialect)] = files[tableFile(dialect)]
	}
	check.Files(t, root, want, "the wheel's tables")
}
