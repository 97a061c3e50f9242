package tests

import (
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestChannels compiles two sums of one channel, of other ranks, which XLA refuses.
func TestChannels(t *testing.T) {
	for _, ids := range []string{"", ", use_global_device_ids"} {
		t.Run(ids, func(t *testing.T) { testChannels(t, ids) })
	}
}

func testChannels(t *testing.T, ids string) {
	sum := func(name, of, channel string) string {
		return name + `_sum = "stablehlo.all_reduce"(` + name + `) <{replica_groups = dense<0> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = ` + channel + `, type = 1>` + ids + `}> ({
		^bb0(%a: tensor<f32>, %b: tensor<f32>):
			%s = stablehlo.add %a, %b : tensor<f32>
			stablehlo.return %s : tensor<f32>
		}) : (` + of + `) -> ` + of + "\n"
	}
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<4xf32>, %y: tensor<3x4xf32>, %z: tensor<f32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<f32>) {
	`+sum("%x", "tensor<4xf32>", "1")+sum("%y", "tensor<3x4xf32>", "1")+sum("%z", "tensor<f32>", "2")+`
	return %x_sum, %y_sum, %z_sum : tensor<4xf32>, tensor<3x4xf32>, tensor<f32>
}`)
	client := newClient(t, 1)
	_, err := client.Compile(t.Context(), stablehlo.Unprepared(m), engine.CompileOptions{})
	check.Error(t, err, "layout")
	executable, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{})
	check.NoError(t, err)
	check.NoError(t, executable.Close())
	n, err := xlafix.SeparateChannels(m)
	check.NoError(t, err)
	check.Diff(t, "changed", 1, n)
	n, err = xlafix.SeparateChannels(m)
	check.NoError(t, err)
	check.Diff(t, "changed again", 0, n)
}
