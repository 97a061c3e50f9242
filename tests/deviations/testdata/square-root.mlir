func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<2xf32>
  %1 = stablehlo.sqrt %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
