func.func @main(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  %all = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %0 = stablehlo.divide %x, %all : tensor<2xf32>
  return %0 : tensor<2xf32>
}
