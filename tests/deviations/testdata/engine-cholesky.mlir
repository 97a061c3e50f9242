func.func @main(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
