func.func @main() -> tensor<2xf32> {
  %c = stablehlo.constant dense<[1.75, -2.75]> : tensor<2xf8E3M4>
  %0 = stablehlo.round_nearest_even %c : tensor<2xf8E3M4>
  %1 = stablehlo.convert %0 : (tensor<2xf8E3M4>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
