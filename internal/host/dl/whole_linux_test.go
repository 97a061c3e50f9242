//go:build cgo

package dl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestCutOff opens a program that ends early. Its loader would map what is not there.
func TestCutOff(t *testing.T) {
	data := check.Must(os.ReadFile(check.Must(os.Executable())))
	path := filepath.Join(t.TempDir(), "library.so")
	for _, n := range []int{len(data) / 2, len(data) / 4} {
		check.NoError(t, os.WriteFile(path, data[:n], 0o600))
		_, err := Open(path)
		check.Error(t, err, path, "the file is cut off")
	}
	check.NoError(t, os.WriteFile(path, data, 0o600))
	check.Report(t, checkWhole(path))
}
