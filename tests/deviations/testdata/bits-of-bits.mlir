func.func @main(%x: tensor<2xi64>) -> tensor<2x2x2xi16> {
  %0 = stablehlo.bitcast_convert %x : (tensor<2xi64>) -> tensor<2x2xi32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x2xi32>) -> tensor<2x2x2xi16>
  return %1 : tensor<2x2x2xi16>
}
