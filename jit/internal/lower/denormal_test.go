package lower_test

import (
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestDenormals has functions that are x near 0, of numbers whose halves lose digits.
func TestDenormals(t *testing.T) {
	x := tensor.Vector[float32](1e-45, -1e-45, 1.1e-38, -3e-42, float32(math.Copysign(0, -1)))
	y := tensor.Vector[float64](5e-324, -5e-324, 2.2e-308, 1e-310, math.Copysign(0, -1))
	for _, f := range []string{"exponential_minus_one", "log_plus_one", "tanh", "sine", "tan"} {
		text := function("%x: tensor<5xf32>, %y: tensor<5xf64>", "tensor<5xf32>, tensor<5xf64>", `
			%0 = "stablehlo.`+f+`"(%x) : (tensor<5xf32>) -> tensor<5xf32>
			%1 = "stablehlo.`+f+`"(%y) : (tensor<5xf64>) -> tensor<5xf64>
			return %0, %1 : tensor<5xf32>, tensor<5xf64>`)
		p := program{name: f, text: text, inputs: []tensor.View{x, y}}
		got, _ := p.run(t, mlirtest.Parse(t, mlirtest.Context(t), text))
		check.Diff(t, f, p.inputs, got)
	}
}
