func.func @main(%x: tensor<2x3xi32>, %y: tensor<1x3x1xf32>) -> (tensor<2xi32>, tensor<1x3x1xf32>) {
  %0 = "stablehlo.unary_einsum"(%x) {einsum_config = "ij->i"} : (tensor<2x3xi32>) -> tensor<2xi32>
  %f = stablehlo.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %1 = "stablehlo.dynamic_conv"(%y, %f, %p) {
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64,
    batch_group_count = 1 : i64} : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x3x1xf32>
  return %0, %1 : tensor<2xi32>, tensor<1x3x1xf32>
}
