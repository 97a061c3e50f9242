func.func @main(%t: !stablehlo.token) -> !stablehlo.token { // bad
  return %t : !stablehlo.token
}
// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
