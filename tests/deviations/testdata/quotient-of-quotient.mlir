func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.divide %y, %x : tensor<2xf32>
  %1 = stablehlo.divide %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
