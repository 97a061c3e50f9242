func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
  %y = stablehlo.optimization_barrier %x : tensor<2xcomplex<f32>>
  %0 = stablehlo.bitcast_convert %y : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %1 = stablehlo.imag %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
