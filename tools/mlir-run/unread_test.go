package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// TestUnread runs bytecode that only XLA reads (see testdata/shardy.py).
func TestUnread(t *testing.T) {
	folder := t.TempDir()
	data := check.Must(os.ReadFile("testdata/shardy.mlirbc"))
	check.NoError(t, os.WriteFile(filepath.Join(folder, "shardy.mlirbc"), data, 0o644))
	check.NoError(t, os.WriteFile(filepath.Join(folder, "cut.mlirbc"), data[:len(data)-40], 0o644))
	check.NoError(t, npz.WriteFile(filepath.Join(folder, "in.npz"), []npz.Named{{Name: "in0", View: tensor.Vector[float32](1, 2, 3, 4)}}))
	run := func(args ...string) outcome { return command{folder: folder}.run(t, args...) }
	run("shardy.mlirbc", "--in", "in.npz").want(t, exitDone, "out0 f32[4] [2 4 6 8]\n", "")
	run("shardy.mlirbc").want(t, exitFailed, "", "shardy.mlirbc needs inputs: use --in:\n  in0: f32[4]")
	run("shardy.mlirbc", "--in", "in.npz", "--tap").want(t, exitFailed, "", "its callbacks cannot be replaced: leave out --tap, --replay and --feeds")
	run("cut.mlirbc", "--in", "in.npz").want(t, exitFailed, "", "cut.mlirbc")
}
