package stages_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestExact compiles an identity that XLA simplifies wrongly, whole and as a stage.
func TestExact(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.divide %y, %x : tensor<f32>
  %1 = stablehlo.divide %x, %0 : tensor<f32>
  return %1 : tensor<f32>
}`)
	client := devices(t, 2)
	large := tensor.Scalar[float32](1e30)
	for _, device := range []int{0, 1} {
		for _, test := range []struct {
			exact bool
			want  string
		}{{false, "[f32[] +Inf]"}, {true, "[f32[] 1e+30]"}} {
			o := stages.Options{Devices: stages.On(client.Engine(), device),
				Compile: engine.CompileOptions{Exact: test.exact}}
			e, err := stages.Compile(t.Context(), m, o)
			check.NoError(t, err)
			check.Cleanup(t, e)
			got, err := e.Call(t.Context(), large, large)
			check.NoError(t, err)
			check.Diff(t, fmt.Sprintf("device %d", device), test.want, fmt.Sprint(got))
			plan, err := stages.Cut(m, o)
			check.NoError(t, err)
			check.Cleanup(t, plan)
			saved, err := plan.Serialize()
			check.NoError(t, err)
			loaded, err := stages.Load(mlirtest.Context(t), saved, o)
			check.NoError(t, err)
			check.Cleanup(t, loaded)
			p, err := loaded.Compile(t.Context())
			check.NoError(t, err)
			check.Cleanup(t, p)
			got, err = p.Call(t.Context(), large, large)
			check.NoError(t, err)
			check.Diff(t, fmt.Sprintf("device %d, loaded", device), test.want, fmt.Sprint(got))
		}
	}
}
