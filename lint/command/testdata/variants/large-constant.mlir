func.func @main() -> tensor<262144xf32> {
  %0 = stablehlo.constant dense_resource<w> : tensor<262144xf32> // bad
  return %0 : tensor<262144xf32>
}
// -----
func.func @main() -> tensor<262144xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<262144xf32>
  return %0 : tensor<262144xf32>
}
