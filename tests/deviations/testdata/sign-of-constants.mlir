func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[-0.0, 3.0]> : tensor<2xf32>
  %0 = stablehlo.sign %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
