package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// A second run finds the compiled module.
func TestCache(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "add.mlir", add)
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2))
	run := func() {
		t.Helper()
		command{folder: folder}.run(t, "add.mlir", "--in", "a.npy", "--in", "a.npy", "--cache", "kept").want(t,
			exitDone, "out0 f32[2] [2 4]\n", "")
	}
	// A hit changes the time of the entry, and a compile stores another one.
	run()
	list, err := filepath.Glob(filepath.Join(folder, "kept", "*"))
	check.NoError(t, err)
	check.Diff(t, "entries", 1, len(list))
	before, err := os.Stat(list[0])
	check.NoError(t, err)
	long := time.Now().Add(-time.Hour)
	check.NoError(t, os.Chtimes(list[0], long, long))
	run()
	after, err := os.Stat(list[0])
	check.NoError(t, err)
	if !os.SameFile(before, after) || time.Since(after.ModTime()) > time.Minute {
		t.Error("the second run did not use the entry")
	}
	check.NoError(t, os.Chmod(filepath.Join(folder, "kept"), 0o777))
	command{folder: folder}.run(t, "add.mlir", "--in", "a.npy", "--in", "a.npy", "--cache", "kept").want(t, exitFailed,
		"", "is a cache, but every user may write to it")
}
