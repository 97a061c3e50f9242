package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// TestShardyBytecode runs bytecode with Shardy's dialect (see testdata/shardy.py).
func TestShardyBytecode(t *testing.T) {
	folder := t.TempDir()
	data := check.Must(os.ReadFile("testdata/shardy.mlirbc"))
	check.NoError(t, os.WriteFile(filepath.Join(folder, "shardy.mlirbc"), data, 0o644))
	check.NoError(t, os.WriteFile(filepath.Join(folder, "cut.mlirbc"), data[:len(data)-40], 0o644))
	check.NoError(t, npz.WriteFile(filepath.Join(folder, "in.npz"),
		[]npz.Named{{Name: "in0", View: tensor.Vector[float32](1, 2, 3, 4)}}))
	run := func(args ...string) outcome { return command{folder: folder}.run(t, args...) }
	run("shardy.mlirbc", "--in", "in.npz").want(t, exitDone, "out0 f32[4] [2 4 6 8]\n", "")
	run("shardy.mlirbc").want(t, exitFailed, "", "shardy.mlirbc needs inputs: use --in:\n  in0: f32[4]")
	run("shardy.mlirbc", "--in", "in.npz", "--tap").want(t, exitDone, "out0 f32[4] [2 4 6 8]\n", "")
	run("shardy.mlirbc", "--in", "in.npz", "--check").want(t, exitFailed, "",
		"shardy.mlirbc: --check: the module has no check")
	run("cut.mlirbc", "--in", "in.npz").want(t, exitFailed, "", "cut.mlirbc")
}

// TestUnreduced reads a module with unreduced axes.
func TestUnreduced(t *testing.T) {
	const text = `module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}`
	command{stdin: text}.run(t, "-").want(t, exitFailed, "", "<stdin> needs inputs: use --in:\n  in0: f32[4]")
}

// TestShardyText runs text of JAX with callbacks in manual computations.
func TestShardyText(t *testing.T) {
	folder := t.TempDir()
	check.NoError(t, npz.WriteFile(filepath.Join(folder, "in.npz"),
		[]npz.Named{{Name: "in0", View: tensor.Vector[float32](0, 1, 2, 3, 4, 5, 6, 7)}}))
	for _, name := range []string{"shard_map_debug.mlir", "shard_map_ordered.mlir"} {
		text := string(check.Must(os.ReadFile(filepath.Join("../../bridge/testdata/jax", name))))
		write(t, folder, name, text)
		write(t, folder, "feed_"+name, strings.Replace(text, "      sdy.return", "      %t = stablehlo.create_token : !stablehlo.token\n      %u = \"stablehlo.outfeed\"(%t) : (!stablehlo.token) -> !stablehlo.token\n      sdy.return", 1))
	}
	run := func(args ...string) outcome { return command{folder: folder}.run(t, append(args, "--in", "in.npz")...) }
	run("shard_map_debug.mlir", "--tap").want(t, exitDone,
		"tap shard_map_debug.mlir:6:7: xla_ffi_python_cpu_callback (device 3)\n  0: f32[2] [6 7]\n", "")
	run("shard_map_debug.mlir", "--tap").want(t, exitDone, "out0 f32[8] [1 2 3 4 5 6 7 8]\n", "")
	run("shard_map_ordered.mlir", "--stub", "zeros").want(t, exitDone, "out0 f32[8] [0 0 0 0 0 0 0 0]\n", "")
	run("shard_map_ordered.mlir", "--tap", "--record", "calls").want(t, exitDone,
		"tap shard_map_ordered.mlir:8:14: xla_ffi_python_cpu_callback (device 1)\n  0: f32[2] [2 3]\n", "")
	run("shard_map_ordered.mlir", "--replay", "calls").want(t, exitDone, "out0 f32[8] [0 1 2 3 4 5 6 7]\n", "")
	run("shard_map_ordered.mlir").want(t, exitFailed, "",
		"shard_map_ordered.mlir:6:14: xla_ffi_python_cpu_callback\n")
	run("feed_shard_map_debug.mlir", "--tap").want(t, exitFailed, "",
		"feed_shard_map_debug.mlir:12:12: stablehlo.outfeed")
}
