func.func @main(%x: tensor<3xi64>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %0 = stablehlo.convert %x : (tensor<3xi64>) -> tensor<3xi32>
  %1 = stablehlo.or %0, %y : tensor<3xi32>
  %2 = stablehlo.and %y, %0 : tensor<3xi32>
  return %1, %2 : tensor<3xi32>, tensor<3xi32>
}
