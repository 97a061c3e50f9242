package native

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Unpacking writes to /dev/full, where the kernel answers each write as a full
// disk does, for root too.
func TestEnsureDiskFull(t *testing.T) {
	cache, _ := setUp(t, "unpackfull", "python3")
	_, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})
	wantFailed(t, err, syscall.ENOSPC, cache, emptyCache(), "the disk of the cache folder "+cache+" is full",
		"free about", "set CALLIOPE_CACHE")
	mended(t, cache)
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Errorf("cleaning up went through the link: %v", err)
	}
}

func TestDebDiskFull(t *testing.T) {
	cache, _ := setUp(t, "unpackfull", debPrograms...)
	_, err := Ensure(t.Context(), debPart, EnsureOptions{Progress: new(bytes.Buffer)})
	wantFailed(t, err, syscall.ENOSPC, cache, emptyDebCache(), "the disk of the cache folder "+cache+" is full",
		"free about", "set CALLIOPE_CACHE")
	debMended(t, cache)
}

// Nothing can be made in /proc, by root neither.
func TestEnsureReadOnlyFileSystem(t *testing.T) {
	setUp(t, "", "python3")
	cache := filepath.Join("/proc", "calliope")
	t.Setenv(cacheEnv, cache)
	_, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})
	check.Error(t, err, "the cache folder "+cache+" cannot be written", "set CALLIOPE_CACHE")
	err = cacheError("/some/cache", &os.PathError{Op: "open", Path: "x", Err: syscall.EROFS})
	check.Error(t, err, "cannot be written", "read-only file system")
}
