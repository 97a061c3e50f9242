package jit_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestResultThatPassesThrough returns what a callback computes, and what another one makes of it in place.
func TestResultThatPassesThrough(t *testing.T) {
	register := func(name string, fn callbacks.Func) {
		check.NoError(t, callbacks.Default.Register(name, fn, callbacks.Options{}))
		t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
	}
	register("fills", func(f *callbacks.Frame) error {
		copy(f.Results[1].Data, tensor.Vector[int32](1, 2, 3, 4).Data)
		return nil
	})
	register("changes", func(f *callbacks.Frame) error {
		f.Results[0].Data[0] = 9
		return nil
	})
	got := run(t, `func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
		%0:2 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, has_side_effect = true,
			backend_config = {callback = "fills", form = "call", v = 1 : i64}} : (tensor<4xi32>) -> (tensor<2x2xi1>, tensor<4xi32>)
		%1 = stablehlo.custom_call @calliope_io_callback(%0#1) {api_version = 4 : i32, has_side_effect = true,
			backend_config = {callback = "changes", form = "passthrough", v = 1 : i64}, output_operand_aliases =
			[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} :
			(tensor<4xi32>) -> tensor<4xi32>
		return %1, %0#1 : tensor<4xi32>, tensor<4xi32> }`, tensor.Vector[int32](0, 0, 0, 0))
	check.Diff(t, "results", "[s32[4] [9 2 3 4] s32[4] [1 2 3 4]]", fmt.Sprint(got))
}
