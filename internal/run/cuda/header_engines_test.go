//go:build engines

package cuda_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestHeader compares our declarations with those of NVIDIA's headers, which it fetches.
func TestHeader(t *testing.T) {
	for wheel, header := range map[string]string{
		"nvidia-cuda-runtime-cu12==12.9.79": "nvidia/cuda_runtime/include/cuda.h",
		"nvidia-cuda-runtime==13.5.37":      "nvidia/cu13/include/cuda.h",
	} {
		t.Run(wheel, func(t *testing.T) {
			dir := t.TempDir()
			run(t, "python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
				"--disable-pip-version-check", "--platform", "manylinux2014_x86_64", "-d", dir, wheel)
			files := check.Must(filepath.Glob(filepath.Join(dir, "*.whl")))
			run(t, "python3", "-m", "zipfile", "-e", files[0], dir)
			program := filepath.Join(dir, "functions")
			include := filepath.Join(dir, filepath.Dir(filepath.FromSlash(header)))
			run(t, "cc", "-Wall", "-Werror", "-I", include, "-o", program,
				filepath.Join("testdata", "functions.c"), "cuda.c")
			run(t, program)
		})
	}
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
