func.func @main() -> tensor<2xi1> {
  %x = stablehlo.constant dense<[67, 1]> : tensor<2xi32>
  %y = stablehlo.constant dense<[-5, 2]> : tensor<2xi32>
  %0 = stablehlo.compare LT, %x, %y : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
