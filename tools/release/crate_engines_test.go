//go:build engines

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestCrate packs the crate twice, into the same bytes, with the licence. It needs cargo.
func TestCrate(t *testing.T) {
	name := "calliope-mlir-" + version.Version
	var packed [2]string
	for i := range packed {
		dir := t.TempDir()
		check.NoError(t, crate(t.Context(), t.TempDir(), dir))
		packed[i] = string(check.Must(os.ReadFile(filepath.Join(dir, name+".crate"))))
	}
	check.Diff(t, "packed again", true, packed[0] == packed[1])
	files := untar(t, []byte(packed[0]))
	for _, file := range []string{"LICENSE", "NOTICE", "README.md", "build.rs", "src/lib.rs", "src/sys.rs"} {
		if files[name+"/"+file] == "" {
			t.Errorf("%s is missing", file)
		}
	}
}
