package lower_test

import "testing"

func TestScatter(t *testing.T) {
	interpreted(t, []program{
		{name: "elements, some of them outside", text: function(
			"%x: tensor<5xf32>, %i: tensor<9x1xi32>, %u: tensor<9xf32>", "tensor<5xf32>", `
			%r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
				inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
				^bb0(%a: tensor<f32>, %b: tensor<f32>):
					%s = stablehlo.multiply %a, %b : tensor<f32>
					stablehlo.return %s : tensor<f32>
			}) : (tensor<5xf32>, tensor<9x1xi32>, tensor<9xf32>) -> tensor<5xf32>
			return %r : tensor<5xf32>`)},
		{name: "windows that are partly outside, in another order", text: function(
			"%x: tensor<6x7x3xui32>, %i: tensor<2x5xi64>, %u: tensor<2x5x3xui32>", "tensor<6x7x3xui32>", `
			%r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
				update_window_dims = [0, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0],
				index_vector_dim = 0>}> ({
				^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
					%s = stablehlo.maximum %a, %b : tensor<ui32>
					stablehlo.return %s : tensor<ui32>
			}) : (tensor<6x7x3xui32>, tensor<2x5xi64>, tensor<2x5x3xui32>) -> tensor<6x7x3xui32>
			return %r : tensor<6x7x3xui32>`)},
		{name: "batches", text: function(
			"%x: tensor<3x4x5xf64>, %i: tensor<2x3x1xui8>, %u: tensor<2x3x4xf64>", "tensor<3x4x5xf64>", `
			%r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
				update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [0],
				scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
				^bb0(%a: tensor<f64>, %b: tensor<f64>):
					%s = stablehlo.add %a, %b : tensor<f64>
					stablehlo.return %s : tensor<f64>
			}) : (tensor<3x4x5xf64>, tensor<2x3x1xui8>, tensor<2x3x4xf64>) -> tensor<3x4x5xf64>
			return %r : tensor<3x4x5xf64>`)},
		{name: "several inputs, and a scalar index", text: function(
			"%x: tensor<6xf32>, %y: tensor<6xi32>, %i: tensor<i32>, %u: tensor<f32>, %v: tensor<i32>",
			"tensor<6xf32>, tensor<6xi32>, tensor<6xf32>", `
			%r:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
				inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
				^bb0(%a: tensor<f32>, %c: tensor<i32>, %b: tensor<f32>, %d: tensor<i32>):
					%s = stablehlo.subtract %b, %a : tensor<f32>
					%t = stablehlo.subtract %c, %d : tensor<i32>
					stablehlo.return %s, %t : tensor<f32>, tensor<i32>
			}) : (tensor<6xf32>, tensor<6xi32>, tensor<i32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
			return %r#0, %r#1, %x : tensor<6xf32>, tensor<6xi32>, tensor<6xf32>`)},
	})
}
