package lower_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/tensor"
)

// TestRoundings has intermediate results of 16 bits that are rounded: a sum that loses digits, and a power that is
// infinite.
func TestRoundings(t *testing.T) {
	numbers := []tensor.View{tensor.Vector(tensor.ToBFloat16(0.0054), tensor.ToBFloat16(-0.668)),
		tensor.Vector(tensor.ToFloat16(7.95), tensor.ToFloat16(-0.00007))}
	interpreted(t, []program{{name: "both", inputs: numbers, text: function(
		"%x: tensor<2xbf16>, %y: tensor<2xf16>", "tensor<2xf32>, tensor<2xf32>", `
		%one = stablehlo.constant dense<1.0> : tensor<2xbf16>
		%sum = stablehlo.add %x, %one : tensor<2xbf16>
		%difference = stablehlo.subtract %sum, %one : tensor<2xbf16>
		%r = stablehlo.convert %difference : (tensor<2xbf16>) -> tensor<2xf32>
		%nine = stablehlo.constant dense<9.0> : tensor<2xf16>
		%power = stablehlo.power %y, %nine : tensor<2xf16>
		%log = stablehlo.log %power : tensor<2xf16>
		%s = stablehlo.convert %log : (tensor<2xf16>) -> tensor<2xf32>
		return %r, %s : tensor<2xf32>, tensor<2xf32>`)}})
}
