package jit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestShare compiles layers that are alike, and holds that each of their loops is there once.
func TestShare(t *testing.T) {
	const layers = 2 * fewLoops
	var text strings.Builder
	text.WriteString(`func.func @main(%x0: tensor<4x3xf32>) -> tensor<4x3xf32> {
		%zero = stablehlo.constant dense<0.0> : tensor<f32>`)
	for i := range layers {
		fmt.Fprintf(&text, `
		%%sum%[1]d = stablehlo.reduce(%%x%[1]d init: %%zero) applies stablehlo.add across dimensions = [1]
			: (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
		%%all%[1]d = stablehlo.broadcast_in_dim %%sum%[1]d, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
		%%x%[2]d = stablehlo.subtract %%all%[1]d, %%x%[1]d : tensor<4x3xf32>`, i, i+1)
	}
	fmt.Fprintf(&text, "\n\t\treturn %%x%d : tensor<4x3xf32> }", layers)

	functions := 0
	before := steps
	defer func() { steps = before }()
	steps = append(slices.Clone(steps), step{"test", func(m *mlir.Module, _ *Executable) error {
		functions = strings.Count(m.String(), "llvm.func @calliope.loop")
		return nil
	}})
	e := check.Must(Compile(t.Context(), mlirtest.Parse(t, mlirtest.Context(t), text.String()), Options{}))
	check.Cleanup(t, e)
	if functions == 0 || functions > 8 {
		t.Errorf("%d layers have %d functions of loops", layers, functions)
	}
	// A layer negates rows whose sum is 0.
	x := check.Must(tensor.FromSlice([]float32{0, 0, 0, 1, -1, 0, 0.5, 0.5, -1, 2, -3, 1}, 4, 3))
	check.Diff(t, "results", []tensor.View{x}, check.Must(e.Call(t.Context(), x)))
}
