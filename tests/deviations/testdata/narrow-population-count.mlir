func.func @main() -> (tensor<4xi4>, tensor<2xi2>) {
  %x = stablehlo.constant dense<[1, 0, -1, -8]> : tensor<4xi4>
  %0 = stablehlo.popcnt %x : tensor<4xi4>
  %y = stablehlo.constant dense<[-2, 1]> : tensor<2xi2>
  %1 = stablehlo.popcnt %y : tensor<2xi2>
  return %0, %1 : tensor<4xi4>, tensor<2xi2>
}
