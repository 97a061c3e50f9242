func.func @main(%x: tensor<4xf32>, %u: tensor<f32>) -> tensor<f32> {
  %o = stablehlo.constant dense<1.0> : tensor<4xf32>
  %0 = stablehlo.einsum %o, %x, config = "i,i->" : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %1 = stablehlo.add %0, %u : tensor<f32>
  return %1 : tensor<f32>
}
