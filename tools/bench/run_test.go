package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/bench/internal/floor"
)

// TestMain runs the tests, or a suite for a report.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-suite" {
		os.Exit(run(os.Args[1:]))
	}
	nativetest.Main(m, native.PJRTPlugin, native.MLIR)
}

// The executions that are compared do the same work.
func TestBare(t *testing.T) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	table, err := bare(plugin)
	check.NoError(t, err)
	if _, err := floor.OpenBare(table, []byte("no module"), 4); err == nil {
		t.Error("a text that is no module compiles")
	}
	for _, length := range []int{smallRun, largeRun} {
		b, err := floor.OpenBare(table, []byte(runModule(length)), length)
		check.NoError(t, err)
		defer b.Close()
		for _, way := range []floor.BareWay{floor.BareRun, floor.BareHelper, floor.BareHelperSpin, floor.BareRound} {
			if d, err := b.Run(way, 100); err != nil || d <= 0 {
				t.Errorf("%d elements, way %d: %v, %v", length, way, d, err)
			}
		}
		got, err := b.Result()
		check.NoError(t, err)
		if diff := cmp.Diff([]float32{0, 2, 4, 6}, got[:4]); diff != "" {
			t.Errorf("%d elements (-want +got):\n%s", length, diff)
		}
	}
}
