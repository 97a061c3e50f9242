func.func @main() -> (tensor<3xi16>, tensor<3xf32>) {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %0:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xi16>)
  %1 = stablehlo.convert %0#1 : (tensor<3xi16>) -> tensor<3xf32>
  return %0#1, %1 : tensor<3xi16>, tensor<3xf32>
}
