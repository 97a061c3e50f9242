func.func @main(%x: tensor<f32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.add %0, %y : tensor<3xf32>
  return %1 : tensor<3xf32>
}
