//go:build engines

package main

import (
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// TestCommitted checks that `go generate` writes exactly the committed files.
func TestCommitted(t *testing.T) {
	root := filepath.Join("..", "..")
	want, err := outputs("", "", root)
	if err != nil {
		t.Fatal(err)
	}
	old, err := stale(root, want)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range old {
		t.Errorf("%s is not generated any longer", path)
	}
	check.Files(t, root, want, "the file that `go generate ./...` writes")
}
