func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %negative = stablehlo.constant dense<-0.0> : tensor<2xf32>
  %0 = stablehlo.atan2 %zero, %zero : tensor<2xf32>
  %1 = stablehlo.atan2 %zero, %negative : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
