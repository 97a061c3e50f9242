package bridge

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestExact compiles identities that XLA's algebraic simplification takes for others.
func TestExact(t *testing.T) {
	c := testClient(t)
	const module = `func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.divide %y, %x : tensor<2xf32>
  %1 = stablehlo.divide %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}`
	for _, test := range []struct {
		name    string
		options engine.CompileOptions
		want    string
	}{
		{"default", engine.CompileOptions{}, "f32[2] [+Inf 4]"},
		{"exact", engine.CompileOptions{Exact: true}, "f32[2] [1e+30 4]"},
		{"exact, without one more pass",
			engine.CompileOptions{Exact: true, Flags: map[string]string{disabledPasses: "cse"}},
			"f32[2] [1e+30 4]"},
		{"default again", engine.CompileOptions{}, "f32[2] [+Inf 4]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := c.Compile(t.Context(), Source(module), test.options)
			check.NoError(t, err)
			check.Cleanup(t, e)
			got, err := e.Call(t.Context(), tensor.Vector[float32](1e30, 2), tensor.Vector[float32](1e30, 1))
			check.NoError(t, err)
			check.Diff(t, "result", test.want, fmt.Sprint(got[0]))
		})
	}
}
