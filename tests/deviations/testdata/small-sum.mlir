func.func @main(%x: tensor<2xbf16>, %y: tensor<2xbf16>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xbf16>
  %1 = stablehlo.convert %0 : (tensor<2xbf16>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
