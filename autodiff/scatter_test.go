package autodiff_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/tensor"
)

// TestScatterExtremes differentiates scatters that keep the greatest or smallest element, some of which tie. One update
// is out of bounds. The numbers are those of JAX.
func TestScatterExtremes(t *testing.T) {
	const text = `func.func @main(%x: tensor<3xf64>, %u: tensor<4xf64>) -> tensor<f64> {
		%zero = stablehlo.constant dense<0.0> : tensor<f64>
		%weights = stablehlo.constant dense<[1.0, 10.0, 100.0]> : tensor<3xf64>
		%i = stablehlo.constant dense<[[0], [1], [1], [3]]> : tensor<4x1xi32>
		%0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
			inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
		^bb0(%a: tensor<f64>, %b: tensor<f64>):
			%1 = stablehlo.maximum %a, %b : tensor<f64>
			stablehlo.return %1 : tensor<f64>
		}) : (tensor<3xf64>, tensor<4x1xi32>, tensor<4xf64>) -> tensor<3xf64>
		%2 = stablehlo.multiply %0, %weights : tensor<3xf64>
		%3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
		return %3 : tensor<f64>
	}`
	third := 10. / 3
	want := [][]float64{{0.5, third, 100}, {0.5, third, third, 0}}
	holdCorners(t, []corner{
		{"maximum", text, []tensor.View{vector(1, 2, 5), vector(1, 2, 2, 5)}, want},
		{"minimum", strings.ReplaceAll(text, "maximum", "minimum"),
			[]tensor.View{vector(-1, -2, -5), vector(-1, -2, -2, -5)}, want},
		{"of updates only", text, []tensor.View{vector(0, 0, 0), vector(1, 2, 3, 4)},
			[][]float64{{0, 0, 100}, {1, 0, 10, 0}}},
		{"subtract", strings.ReplaceAll(text, "maximum", "subtract"),
			[]tensor.View{vector(1, 2, 5), vector(1, 2, 2, 5)}, [][]float64{{1, 10, 100}, {-1, -10, -10, 0}}},
	})
}
