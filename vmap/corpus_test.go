package vmap_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/vmap"
)

// TestCorpus batches the functions of real modules: each is batched and verified, or a *stablehlo.TransformError says
// why not.
func TestCorpus(t *testing.T) {
	check.NoRaces(t)
	made := 0
	check.NoError(t, filepath.WalkDir("../tests/testdata/modules", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".mlir" {
			return err
		}
		text := check.Must(os.ReadFile(path))
		c := mlirtest.ContextOf(t, mlirtest.LibraryFor(t, text))
		m, err := c.Parse(path, text)
		if err != nil {
			return nil // some are there because they are wrong
		}
		for _, f := range mlirtest.Find(m, "func.func") {
			_, err := vmap.Batch(f, vmap.Options{Size: 2, Method: contract.Sequential})
			if err == nil {
				made++
			} else if _, ok := errors.AsType[*stablehlo.TransformError](err); !ok {
				name, _ := f.Symbol()
				t.Errorf("%s @%s: %v", path, name, err)
			}
		}
		return nil
	}))
	if made < 50 {
		t.Errorf("only %d functions were batched", made)
	}
}
