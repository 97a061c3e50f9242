package native

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// The file of a verified library is not read again, and any other file is.
func TestSHA256(t *testing.T) {
	cache, _ := setUp(t, "")
	sl := testSlot(cache)
	fillSlot(t, sl)
	want := func(path string, data []byte) {
		t.Helper()
		got, err := SHA256(path)
		check.NoError(t, err)
		check.Diff(t, path, sum(data), got)
	}
	want(sl.library, libraryBytes)
	want(sl.library, libraryBytes)
	if _, known := verified.Load(sl.library); !known {
		t.Error("the library is to be read again")
	}
	check.NoError(t, os.WriteFile(sl.library, otherBytes, 0o644))
	want(sl.library, otherBytes)

	plain := filepath.Join(t.TempDir(), "library.so")
	check.NoError(t, os.WriteFile(plain, []byte("x"), 0o644))
	want(plain, []byte("x"))
	check.NoError(t, os.WriteFile(plain, []byte("y"), 0o644))
	want(plain, []byte("y"))
	if _, err := SHA256(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a missing file has a sum")
	}
}
