func.func @main(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %0 = stablehlo.maximum %x, %y : tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}
