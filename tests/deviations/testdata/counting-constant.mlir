func.func @main() -> tensor<3xf32> {
  %x = stablehlo.constant dense<[-0.0, 0.5, 1.5]> : tensor<3xf32>
  %0 = stablehlo.ceil %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
