package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestJAX runs modules that JAX lowered, with stand-ins for their callbacks.
func TestJAX(t *testing.T) {
	modules := check.Must(filepath.Abs("../../bridge/testdata/jax"))
	folder := t.TempDir()
	vector := tensor.Vector[float32](0, 1, 2, 3)
	writeArray(t, folder, "x.npy", vector)
	writeArray(t, folder, "n.npy", tensor.Scalar[int32](5))
	writeArray(t, folder, "long.npy", tensor.Vector[float32](0, 1, 2, 3, 4, 5, 6, 7))
	writeArray(t, folder, "rows.npy", check.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)))
	writeArray(t, folder, "weights.npy", tensor.Vector[float32](1, 2))
	const target = ": xla_ffi_python_cpu_callback"
	tap := func(place, operand string) string {
		return "tap " + place + target + "\n  0: " + operand + "\n"
	}
	for _, test := range []struct {
		module, args string
		status       int
		stdout       []string
		stderr       string
	}{
		{"pure", "--in x.npy --tap", exitDone,
			[]string{tap("pure.mlir:4:10", "f32[4] [0 1 2 3]"), "out0 f32[4] [0 1 2 3]\n"}, ""},
		{"several", "--in x.npy --in n.npy --stub zeros", exitDone, []string{"out0 f32[4] [0 0 0 0]\nout1 s32[] 0\n"},
			""},
		{"io_ordered", "--in x.npy --tap", exitDone, []string{
			tap("io_ordered.mlir:4:12", "f32[4] [0 1 2 3]") + tap("io_ordered.mlir:5:10", "f32[4] [0 1 2 3]") +
				tap("io_ordered.mlir:6:12", "f32[4] [0 1 2 3]") + "out0 f32[4] [0 1 2 3]\n"}, ""},
		{"io_ordered", "--in x.npy --stub zeros", exitDone, []string{"out0 f32[4] [0 0 0 0]\n"}, ""},
		{"io_ordered", "--in x.npy", exitFailed, nil, "\n  io_ordered.mlir:4:12" + target + "\n  io_ordered.mlir:5:10" +
			target + "\n  io_ordered.mlir:6:12" + target + "\nwith --tap their operands are printed"},
		{"io_ordered", "", exitFailed, nil, "needs inputs: use --in:\n  in0: f32[4]\n"},
		{"io_ordered_loop", "--in x.npy --tap", exitDone,
			[]string{strings.Repeat(tap("io_ordered_loop.mlir:11:14", "f32[4] [0 1 2 3]"), 3)}, ""},
		{"two_effects", "--in x.npy --tap", exitDone, []string{tap("two_effects.mlir:4:10", "f32[4] [0 1 2 3]"),
			tap("two_effects.mlir:5:12", "f32[4] [0 1 2 3]"), "out0 f32[4] [0 1 2 3]\n"}, ""},
		{"sharded_io", "--in long.npy --tap", exitDone,
			[]string{tap("sharded_io.mlir:5:10", "f32[8] [0 1 2 3 4 5 6 7]"), "out0 f32[8] [0 1 2 3 4 5 6 7]\n"}, ""},
		{"sharded_debug_partitioned", "--in long.npy --tap", exitDone,
			[]string{"python_cpu_callback\n  0: f32[2] [0 1]\n", "python_cpu_callback (device 3)\n  0: f32[2] [6 7]\n",
				"out0 f32[8] [1 2 3 4 5 6 7 8]\n"}, ""},
		{"gspmd_constraint", "--in long.npy", exitDone, []string{"out0 f32[8] [1 3 5 7 9 11 13 15]\n"}, ""},
		{"gspmd_shard_map", "--in long.npy", exitDone, []string{"out0 f32[8] [12 17 14 19 16 21 18 23]\n"}, ""},
		{"gspmd_shard_map_pure", "--in long.npy --stub zeros", exitDone, []string{"out0 f32[8] [0 0 0 0 0 0 0 0]\n"},
			""},
		{"gspmd_shard_map_debug", "--in long.npy --tap", exitDone,
			[]string{"python_cpu_callback (device 1)\n  0: f32[2] [2 3]\n", "out0 f32[8] [1 2 3 4 5 6 7 8]\n"}, ""},
		{"gspmd_debug", "--in long.npy --tap", exitDone,
			[]string{tap("gspmd_debug.mlir:3:5", "f32[8] [0 1 2 3 4 5 6 7]"), "out0 f32[8] [1 2 3 4 5 6 7 8]\n"}, ""},
		{"called_export", "--in rows.npy --in weights.npy", exitDone, []string{"out0 f32[3] [10 13 16]\n"}, ""},
	} {
		t.Run(test.module+" "+test.args, func(t *testing.T) {
			t.Parallel()
			got := command{folder: folder}.run(t,
				append([]string{filepath.Join(modules, test.module+".mlir")}, strings.Fields(test.args)...)...)
			got.stdout, got.stderr = strings.ReplaceAll(got.stdout, modules+"/", ""),
				strings.ReplaceAll(got.stderr, modules+"/", "")
			got.want(t, test.status, "", test.stderr)
			for _, want := range test.stdout {
				got.want(t, test.status, want, "")
			}
		})
	}
	t.Run("record and replay", func(t *testing.T) {
		t.Parallel()
		module := filepath.Join(modules, "io_ordered.mlir")
		command{folder: folder}.run(t, module, "--in", "x.npy", "--tap", "--record", "calls").want(t, exitDone, "", "")
		command{folder: folder}.run(t, module, "--in", "x.npy", "--replay", "calls").want(t, exitDone,
			"out0 f32[4] [0 1 2 3]\n", "")
		writeArray(t, folder, "other.npy", tensor.Vector[float32](0, 1, 2, 4))
		command{folder: folder}.run(t, module, "--in", "other.npy", "--replay", "calls").want(t, exitFailed, "",
			"the run differs from the one in calls")
	})
}
