func.func @main(%x: tensor<4xi32>, %k: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.power %x, %k : tensor<4xi32>
  return %0 : tensor<4xi32>
}
