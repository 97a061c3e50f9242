func.func @main(%x: tensor<2xf64>, %y: tensor<2xi32>) -> (tensor<2xf16>, tensor<2xbf16>) {
  %0 = stablehlo.convert %x : (tensor<2xf64>) -> tensor<2xf16>
  %1 = stablehlo.convert %y : (tensor<2xi32>) -> tensor<2xbf16>
  return %0, %1 : tensor<2xf16>, tensor<2xbf16>
}
