func.func @main(%x: tensor<3xf32>, %i: tensor<i32>, %p: tensor<6xi1>) -> tensor<6xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  %one = stablehlo.constant dense<1.0> : tensor<6xf32>
  %1 = "stablehlo.case"(%i) ({
    stablehlo.return %0 : tensor<6xf32>
  }, {
    %4 = stablehlo.multiply %0, %one : tensor<6xf32>
    stablehlo.return %4 : tensor<6xf32>
  }) : (tensor<i32>) -> tensor<6xf32>
  %2 = stablehlo.reverse %1, dims = [0] : tensor<6xf32>
  %3 = stablehlo.select %p, %0, %2 : tensor<6xi1>, tensor<6xf32>
  return %3 : tensor<6xf32>
}
