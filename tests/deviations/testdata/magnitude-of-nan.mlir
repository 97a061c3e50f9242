func.func @main(%x: tensor<2xf32>) -> tensor<2xi1> {
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %0 = stablehlo.abs %x : tensor<2xf32>
  %1 = stablehlo.compare GE, %0, %zero : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %1 : tensor<2xi1>
}
