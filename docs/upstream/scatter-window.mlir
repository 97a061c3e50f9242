// Scattered windows that are partly outside
//
// XLA leaves out a window that is partly outside of the array. The specification leaves out the elements that
// are outside, one by one. JAX computes what XLA does, but for modes that move windows inside.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[4] [0 1 2 3]
// Input: s32[4] [2 -1 7 1]
// Expected: s32[4] [200 302 14 26]
// Got: s32[4] [0 2 4 6]
func.func @main(%x: tensor<4xi32>, %at: tensor<4xi32>) -> tensor<4xi32> {
  %updates = stablehlo.constant dense<[[10, 20, 30], [100, 200, 300], [1000, 2000, 3000], [1, 2, 3]]> : tensor<4x3xi32>
  %0 = "stablehlo.scatter"(%x, %at, %updates) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<4xi32>, tensor<4xi32>, tensor<4x3xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
