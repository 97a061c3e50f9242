func.func @main() -> tensor<2xi32> {
  %x = stablehlo.constant dense<[-3, 1]> : tensor<2xi32>
  %0 = stablehlo.count_leading_zeros %x : tensor<2xi32>
  return %0 : tensor<2xi32>
}
