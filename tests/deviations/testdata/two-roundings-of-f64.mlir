func.func @main(%x: tensor<2xf64>) -> tensor<2xf16> {
  %0 = stablehlo.convert %x : (tensor<2xf64>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}
