func.func @main(%x: tensor<2xf8E8M0FNU>) -> tensor<2xf32> {
  %0 = stablehlo.convert %x : (tensor<2xf8E8M0FNU>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
