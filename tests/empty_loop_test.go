package tests

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// twoLoops has a loop whose results only a loop uses that runs zero times. XLA's simplification of loops
// removes both when it looks at the second one, and then reads the first one.
const twoLoops = `
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.constant dense<0.0> : tensor<2x2xf64>
  %0:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<2x2xf64>
  cond {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.convert %n : (tensor<i32>) -> tensor<f64>
    %low = stablehlo.constant dense<-4.0> : tensor<f64>
    %high = stablehlo.constant dense<4.0> : tensor<f64>
    %3 = stablehlo.clamp %low, %2, %high : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<2x2xf64>
  }
  %token = stablehlo.constant dense<0> : tensor<1xi8>
  %6:2 = stablehlo.while(%i = %c, %t = %token) : tensor<i32>, tensor<1xi8>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %7 : tensor<i1>
  } do {
    %8 = stablehlo.custom_call @calliope_io_callback(%0#1, %t) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {callback = "never", effect = "a", form = "observe", n_tokens = 1 : i64, v = 1 : i64},
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]}
      : (tensor<2x2xf64>, tensor<1xi8>) -> tensor<1xi8>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %9 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %9, %8 : tensor<i32>, tensor<1xi8>
  }
  return %n : tensor<i32>
}`

// TestEmptyLoop compiles a module that ends XLA's compiler without xlafix.RemoveEmptyLoops.
func TestEmptyLoop(t *testing.T) {
	check.NoError(t, callbacks.Default.Register("never", func(f *callbacks.Frame) error {
		t.Error("a loop that runs zero times has called")
		return nil
	}, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister("never")) })
	m := mlirtest.Parse(t, mlirtest.Context(t), twoLoops)
	check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
	e, err := newClient(t, 1).Compile(t.Context(), stablehlo.Unprepared(m), engine.CompileOptions{})
	check.NoError(t, err)
	check.Cleanup(t, e)
	got, err := e.Call(t.Context(), tensor.Scalar[int32](7))
	check.NoError(t, err)
	check.Diff(t, "results", "[s32[] 7]", fmt.Sprint(got))
}
