func.func @main(%x: tensor<5x8xi32>, %i: tensor<i32>) -> tensor<2x6xi32> {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 6] : (tensor<5x8xi32>, tensor<i32>, tensor<i32>) -> tensor<2x6xi32>
  %at = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %c = stablehlo.constant dense<100> : tensor<i32>
  %1 = "stablehlo.scatter"(%0, %at, %c) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %2 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<2x6xi32>, tensor<2xi32>, tensor<i32>) -> tensor<2x6xi32>
  return %1 : tensor<2x6xi32>
}
