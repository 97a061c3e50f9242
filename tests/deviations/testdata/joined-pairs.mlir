func.func @main(%x: tensor<2xui2>) -> tensor<4xui2> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2xui2>, tensor<2xui2>) -> tensor<4xui2>
  return %0 : tensor<4xui2>
}
