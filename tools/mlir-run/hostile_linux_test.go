package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

const one = "func.func @main() -> tensor<f32> {\n  %a = stablehlo.constant dense<1.0> : tensor<f32>\n  return %a : tensor<f32>\n}"

// Endless devices, pipes without a writer or a reader, and full disks.
func TestHostileFiles(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "one.mlir", one)
	write(t, folder, "two.mlir", identity("tensor<2xf32>"))
	check.NoError(t, syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
	check.NoError(t, syscall.Mkfifo(filepath.Join(folder, "pipe.npz"), 0o600))
	for args, want := range map[string]string{
		"/dev/zero --max-module 8MiB":    "/dev/zero: it is larger than 8MiB: raise --max-module to read it",
		"pipe --timeout 500ms":           "pipe: not done after 500ms",
		"two.mlir --in pipe":             "--in: pipe is a pipe or a device",
		"two.mlir --in /dev/zero":        "--in: /dev/zero is a pipe or a device",
		"one.mlir --expect pipe":         "--expect: pipe is a pipe or a device",
		"one.mlir --replay pipe":         "--replay pipe: it is a pipe",
		"one.mlir --out /dev/full/x.npz": "--out /dev/full/x.npz: ",
		"one.mlir --out pipe.npz":        "--out pipe.npz: write pipe.npz: it is not a regular file",
		"one.mlir --feeds pipe.npz":      "--feeds pipe.npz: write pipe.npz: it is not a regular file",
		"one.mlir --record /dev/full":    "--record: record: write /dev/full: it is not a regular file",
		"one.mlir --trace pipe":          "--trace: write pipe: it is not a regular file",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			command{folder: folder}.run(t, strings.Fields(args)...).want(t, exitFailed, "", want)
		})
	}
	for _, args := range []string{"one.mlir", "one.mlir --stats", "-h"} {
		t.Run(args+" to a full disk", func(t *testing.T) {
			t.Parallel()
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			check.NoError(t, err)
			defer full.Close()
			command{folder: folder, stdout: full}.run(t, strings.Fields(args)...).want(t, exitFailed, "",
				"mlir-run: printing: write ")
		})
	}
}
