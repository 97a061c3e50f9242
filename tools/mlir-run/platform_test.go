package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestPlatforms runs exports for several platforms and compares with JAX's results. Their branches
// for other platforms have custom calls that XLA lacks here. XLA alone reads one, which is divided
// over two devices. See testdata/platforms.py.
func TestPlatforms(t *testing.T) {
	folder := check.Must(filepath.Abs("testdata/platforms"))
	exports := check.Must(filepath.Glob(filepath.Join(folder, "*.jaxexport")))
	if len(exports) == 0 {
		t.Fatal("there are no exports")
	}
	for _, export := range exports {
		name := strings.TrimSuffix(filepath.Base(export), ".jaxexport")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrays := name + ".npz"
			command{folder: folder}.run(t, export, "--in", arrays, "--expect", arrays).want(t, exitDone,
				"outputs match "+arrays, "")
		})
	}
	command{folder: folder}.run(t, "sharded.jaxexport").want(t, exitFailed, "",
		"sharded.jaxexport needs inputs: use --in:\n  in0: f32[4], as args[0]\n")
}
