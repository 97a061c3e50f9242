func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %hidden = stablehlo.optimization_barrier %x : tensor<2xf32>
  %y = stablehlo.constant dense<[2.0, 5.0]> : tensor<2xf32>
  %0 = stablehlo.maximum %hidden, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
