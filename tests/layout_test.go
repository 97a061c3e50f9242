package tests

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// transposes has a call with two results, of which one is transposed.
const transposes = `
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0:2 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {callback = "twice", form = "call", v = 1 : i64}} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<4xf32>)
  %1 = stablehlo.transpose %0#0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}`

// TestLayoutsOfResults runs a call that xlafix.ConstrainLayouts has given layouts. Without them, XLA
// lays out some results by columns, those of loops for example; TestRandom of package stages has such modules.
func TestLayoutsOfResults(t *testing.T) {
	check.NoError(t, callbacks.Default.Register("twice", func(f *callbacks.Frame) error {
		copy(f.Results[0].Data, f.Args[0].Data)
		return nil
	}, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister("twice")) })
	m := mlirtest.Parse(t, mlirtest.Context(t), transposes)
	client := newClient(t, 1)
	n, err := xlafix.ConstrainLayouts(m)
	check.NoError(t, err)
	check.Diff(t, "calls with layouts", 1, n)
	e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{})
	check.NoError(t, err)
	check.Cleanup(t, e)
	matrix := tensor.Vector[float32](1, 2, 3, 4, 5, 6)
	matrix.Shape = tensor.ShapeOf(tensor.F32, 2, 3)
	got, err := e.Call(t.Context(), matrix)
	check.NoError(t, err)
	check.Diff(t, "results", "[f32[3,2] [1 4 2 5 3 6]]", fmt.Sprint(got))
}
