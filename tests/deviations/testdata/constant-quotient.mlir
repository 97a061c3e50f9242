func.func @main() -> (tensor<2xi32>, tensor<2xi32>) {
  %x = stablehlo.constant dense<[7, -8]> : tensor<2xi32>
  %y = stablehlo.constant dense<[0, 3]> : tensor<2xi32>
  %0 = stablehlo.divide %x, %y : tensor<2xi32>
  %1 = stablehlo.remainder %x, %y : tensor<2xi32>
  return %0, %1 : tensor<2xi32>, tensor<2xi32>
}
