// Ragged products
//
// XLA's CPU compiler has no code for a ragged_dot.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[3,2] [1 2 3 4 5 6]
// Input: f32[2,2,1] [1 1 10 100]
// Input: s32[2] [1 2]
// Expected: f32[3,1] [3 430 650]
// Got: is not compiled
func.func @main(%x: tensor<3x2xf32>, %y: tensor<2x2x1xf32>, %n: tensor<2xi32>) -> tensor<3x1xf32> {
  %0 = "chlo.ragged_dot"(%x, %y, %n) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
    rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>,
    precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]}
    : (tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}
