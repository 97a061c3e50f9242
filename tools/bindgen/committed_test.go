//go:build engines

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommitted holds that `go generate` makes exactly what is committed.
func TestCommitted(t *testing.T) {
	root := filepath.Join("..", "..")
	want, err := outputs("", "", root)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range want {
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(string(have), string(data)); diff != "" {
			t.Errorf("%s is not what `go generate ./...` makes (-committed +generated):\n%.2000s", name, diff)
		}
	}
}
