func.func @main(%x: tensor<64xi1>) -> tensor<i64> {
  %0 = stablehlo.bitcast_convert %x : (tensor<64xi1>) -> tensor<i64>
  return %0 : tensor<i64>
}
