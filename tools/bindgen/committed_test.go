//go:build engines

package main

import (
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestCommitted checks that `go generate` writes exactly the committed files.
func TestCommitted(t *testing.T) {
	root := filepath.Join("..", "..")
	want, err := outputs("", "", root)
	check.NoError(t, err)
	old, err := stale(root, want)
	check.NoError(t, err)
	for _, path := range old {
		t.Errorf("%s is not generated any longer", path)
	}
	check.Files(t, root, want, "the file that `go generate ./...` writes")
}
