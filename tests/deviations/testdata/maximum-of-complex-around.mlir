func.func @main(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %a = stablehlo.real %x : (tensor<complex<f32>>) -> tensor<f32>
  %b = stablehlo.real %y : (tensor<complex<f32>>) -> tensor<f32>
  %c = stablehlo.imag %x : (tensor<complex<f32>>) -> tensor<f32>
  %d = stablehlo.imag %y : (tensor<complex<f32>>) -> tensor<f32>
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %1 = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = stablehlo.compare GE, %c, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %3 = stablehlo.and %1, %2 : tensor<i1>
  %4 = stablehlo.or %0, %3 : tensor<i1>
  %5 = stablehlo.select %4, %x, %y : tensor<i1>, tensor<complex<f32>>
  return %5 : tensor<complex<f32>>
}
