func.func @main() -> tensor<4xi4> {
  %x = stablehlo.constant dense<[2, 0, -1, 4]> : tensor<4xi4>
  %0 = stablehlo.popcnt %x : tensor<4xi4>
  return %0 : tensor<4xi4>
}
