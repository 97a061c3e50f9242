func.func @main(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi1>) {
  %0 = stablehlo.multiply %x, %x : tensor<2xi32>
  %1 = stablehlo.abs %0 : tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %2 = stablehlo.multiply %x, %x : tensor<2xi32>
  %3 = stablehlo.compare LT, %2, %zero, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %1, %3 : tensor<2xi32>, tensor<2xi1>
}
