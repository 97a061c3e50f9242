package native

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/check"
)

// Unpacking writes to /dev/full, where the kernel answers each write as a full
// disk does, for root too.
func TestEnsureDiskFull(t *testing.T) {
	cache, _ := setUp(t, "unpackfull", "python3")
	_, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})
	check.Error(t, err, "the disk of the cache folder "+cache+" is full", "free about", "set CALLIOPE_CACHE")
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v does not match ENOSPC", err)
	}
	if diff := cmp.Diff(emptyCache(), files(t, cache)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	mended(t, cache)
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Errorf("cleaning up went through the link: %v", err)
	}
}

func TestDebDiskFull(t *testing.T) {
	cache, _ := setUp(t, "unpackfull", debPrograms...)
	_, err := Ensure(t.Context(), debPart, EnsureOptions{Progress: new(bytes.Buffer)})
	check.Error(t, err, "the disk of the cache folder "+cache+" is full", "free about", "set CALLIOPE_CACHE")
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v does not match ENOSPC", err)
	}
	if diff := cmp.Diff(emptyDebCache(), files(t, cache)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
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
