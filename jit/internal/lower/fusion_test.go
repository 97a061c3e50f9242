package lower_test

import (
	"strings"
	"testing"
)

// TestReadOutputs has operations that lower to loops without reductions, which change what is in their result, and
// others that use each element several times.
func TestReadOutputs(t *testing.T) {
	producers := map[string]string{
		"sum": `"stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 1>}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%s = stablehlo.add %a, %b : tensor<f32>
				stablehlo.return %s : tensor<f32>
			}) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>`,
		"product with padding": `"stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 1>,
				window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%s = stablehlo.add %a, %b : tensor<f32>
				%u = stablehlo.multiply %s, %z : tensor<f32>
				stablehlo.return %u : tensor<f32>
			}) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>`,
		"inner product of one": `stablehlo.dot_general %column, %row, contracting_dims = [1] x [0]
			: (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>`,
		"sum of one": `stablehlo.reduce(%deep init: %z) applies stablehlo.add across dimensions = [1]
			: (tensor<2x1x3xf32>, tensor<f32>) -> tensor<2x3xf32>`,
		"map": `"stablehlo.map"(%x, %x) <{dimensions = array<i64: 0, 1>}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%s = stablehlo.multiply %a, %b : tensor<f32>
				stablehlo.return %s : tensor<f32>
			}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>`,
	}
	consumers := map[string]string{
		"broadcast": `stablehlo.broadcast_in_dim %w, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>`,
		"product": `stablehlo.dot_general %w, %w, contracting_dims = [1] x [1]
			: (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>`,
		"gather": `"stablehlo.gather"(%w, %twice) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
			collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}>
			: (tensor<2x3xf32>, tensor<4xi32>) -> tensor<4x3xf32>`,
		"windows": `"stablehlo.reduce_window"(%w, %z) <{window_dimensions = array<i64: 2, 2>}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%s = stablehlo.add %a, %b : tensor<f32>
				stablehlo.return %s : tensor<f32>
			}) : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x2xf32>`,
	}
	var list []program
	for p, producer := range producers {
		for c, consumer := range consumers {
			result := consumer[strings.LastIndex(consumer, "->")+3:]
			list = append(list, program{name: p + ", " + c, text: function(
				"%x: tensor<2x3xf32>, %z: tensor<f32>, %column: tensor<2x1xf32>, %row: tensor<1x3xf32>", result, `
				%deep = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
				%twice = stablehlo.constant dense<[0, 1, 0, 0]> : tensor<4xi32>
				%w = `+producer+"\n%r = "+consumer+"\nreturn %r : "+result)})
		}
	}
	interpreted(t, list)
}
