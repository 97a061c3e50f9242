// Products of one operand, and padding that is an operand
//
// XLA translates neither a unary_einsum nor a dynamic_conv. The preparation replaces the latter
// if its padding is a constant.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[2,3] [1 2 3 4 5 6]
// Input: f32[1,3,1] [1 2 3]
// Expected: s32[2] [6 15], f32[1,3,1] [2 5 8]
// Got: is not compiled
func.func @main(%x: tensor<2x3xi32>, %y: tensor<1x3x1xf32>) -> (tensor<2xi32>, tensor<1x3x1xf32>) {
  %0 = "stablehlo.unary_einsum"(%x) {einsum_config = "ij->i"} : (tensor<2x3xi32>) -> tensor<2xi32>
  %f = stablehlo.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %1 = "stablehlo.dynamic_conv"(%y, %f, %p) {
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64,
    batch_group_count = 1 : i64} : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x3x1xf32>
  return %0, %1 : tensor<2xi32>, tensor<1x3x1xf32>
}
