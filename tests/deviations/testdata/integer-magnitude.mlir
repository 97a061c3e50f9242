func.func @main(%x: tensor<2xi32>) -> (tensor<2xi1>, tensor<2xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %four = stablehlo.constant dense<4> : tensor<2xi32>
  %0 = stablehlo.abs %x : tensor<2xi32>
  %1 = stablehlo.compare LT, %0, %zero, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %2 = stablehlo.divide %0, %four : tensor<2xi32>
  return %1, %2 : tensor<2xi1>, tensor<2xi32>
}
