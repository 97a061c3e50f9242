//go:build engines

package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// TestExtracted checks that the committed tables match the wheel of the pinned library.
func TestExtracted(t *testing.T) {
	dir := t.TempDir()
	download := exec.Command("python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check",
		"--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--platform", "manylinux2014_x86_64", "-d", dir, "jaxlib==0.5.3")
	if out, err := download.CombinedOutput(); err != nil {
		t.Fatalf("pip cannot fetch the wheel: %v\n%s", err, out)
	}
	wheels, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatalf("pip left %v, %v", wheels, err)
	}
	want, err := extract(wheels[0])
	if err != nil {
		t.Fatal(err)
	}
	check.Files(t, root, want, "the wheel's tables")
}
