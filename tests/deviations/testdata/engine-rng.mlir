func.func @main() -> tensor<3xi1> {
  %low = stablehlo.constant dense<2.0> : tensor<f32>
  %high = stablehlo.constant dense<5.0> : tensor<f32>
  %size = stablehlo.constant dense<3> : tensor<1xi64>
  %0 = stablehlo.rng %low, %high, %size, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  %1 = stablehlo.is_finite %0 : (tensor<3xf32>) -> tensor<3xi1>
  return %1 : tensor<3xi1>
}
