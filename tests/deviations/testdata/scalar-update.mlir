func.func @main(%x: tensor<4xf32>, %i: tensor<1xi32>, %u: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4xf32>, tensor<1xi32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
