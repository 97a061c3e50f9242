func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %ten = stablehlo.constant dense<10.0> : tensor<2xf32>
  %0 = stablehlo.divide %x, %ten : tensor<2xf32>
  return %0 : tensor<2xf32>
}
