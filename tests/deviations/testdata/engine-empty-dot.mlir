func.func @main(%x: tensor<2x0xf32>, %y: tensor<0x1xf32>) -> tensor<2x1xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x0xf32>, tensor<0x1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
