func.func @main(%x: tensor<3xi32>, %updates: tensor<5xi32>) -> tensor<3xi32> {
  %at = stablehlo.constant dense<> : tensor<5x0xi32>
  %0 = "stablehlo.scatter"(%x, %at, %updates) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], index_vector_dim = 1>}
    : (tensor<3xi32>, tensor<5x0xi32>, tensor<5xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
