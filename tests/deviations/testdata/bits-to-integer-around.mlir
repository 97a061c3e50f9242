func.func @main(%x: tensor<64xi1>) -> tensor<i64> {
  %0 = stablehlo.iota dim = 0 : tensor<64xi64>
  %1 = stablehlo.convert %x : (tensor<64xi1>) -> tensor<64xi64>
  %2 = stablehlo.shift_left %1, %0 : tensor<64xi64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.or across dimensions = [0] : (tensor<64xi64>, tensor<i64>) -> tensor<i64>
  return %3 : tensor<i64>
}
