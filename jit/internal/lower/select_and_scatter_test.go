package lower_test

import "testing"

// TestSelectAndScatter has windows that overlap, and an initial value that counts once.
func TestSelectAndScatter(t *testing.T) {
	list := []program{{name: "overlapping and padded windows", text: function(
		"%x: tensor<5x6xf32>, %s: tensor<3x5xf32>", "tensor<5x6xf32>", `
		%z = stablehlo.constant dense<3.0> : tensor<f32>
		%r = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 3, 2>,
			window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
				stablehlo.return %p : tensor<i1>
		}, {
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%t = stablehlo.add %a, %b : tensor<f32>
				stablehlo.return %t : tensor<f32>
		}) : (tensor<5x6xf32>, tensor<3x5xf32>, tensor<f32>) -> tensor<5x6xf32>
		return %r : tensor<5x6xf32>`)}}
	t.Run("interpreter", func(t *testing.T) { interpreted(t, list) })
	t.Run("XLA", func(t *testing.T) { onXLA(t, 1e-5, list) })
}
