func.func @main(%x: tensor<2xi32>) -> tensor<2xbf16> {
  %0 = stablehlo.convert %x : (tensor<2xi32>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
