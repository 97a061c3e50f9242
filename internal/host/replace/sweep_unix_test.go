//go:build unix

package replace

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestSweep removes the file of a process that is gone, and neither one that is written, nor a young one, nor others.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state[1].npz")
	age := func(name string) {
		old := time.Now().Add(-2 * sweepAfter)
		check.NoError(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	for _, name := range []string{".state[1].npz.7.tmp", ".state[1].npz.8.tmp", ".state1.npz.9.tmp", "state[1].npz.1.tmp"} {
		check.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600))
		if name != ".state[1].npz.8.tmp" {
			age(name)
		}
	}
	check.NoError(t, File(path, func(w io.Writer) error {
		written := filepath.Base(w.(*os.File).Name())
		age(written)
		Sweep(path)
		var left []string
		for _, e := range check.Must(os.ReadDir(dir)) {
			if e.Name() != written {
				left = append(left, e.Name())
			}
		}
		check.Diff(t, "left", []string{".state1.npz.9.tmp", ".state[1].npz.8.tmp", "state[1].npz.1.tmp"}, left)
		return nil
	}))
	Sweep(path)
	_, err := os.Stat(path)
	check.NoError(t, err)
}
