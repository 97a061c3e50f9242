// target: 1.4.0
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = stablehlo.tan %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
