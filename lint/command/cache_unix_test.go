//go:build !windows

package command_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestCacheUnsafe checks that a cache that others may change is not used.
func TestCacheUnsafe(t *testing.T) {
	cache := t.TempDir()
	check.NoError(t, os.Mkdir(filepath.Join(cache, "00"), 0o700))
	check.NoError(t, os.Chmod(filepath.Join(cache, "00"), 0o777))
	t.Setenv("CALLIOPE_LINT_CACHE", cache)
	tree(t, map[string]string{"a.mlir": outfeeds})
	withFew("", "a.mlir").holds(t, 1, "[outfeed]", "results are not kept between runs (-no-cache): the folder ",
		"every user may write to it: choose a folder of your own")
	withFew("", "-no-cache", "a.mlir").want(t, 1, "a.mlir:2:8: error [outfeed]")
}
