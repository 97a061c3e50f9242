// Scatters without indices
//
// Where the indices of a scatter have no numbers, every window begins at 0. XLA makes one of the updates.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[3] [0 1 2]
// Input: s32[5] [10 20 30 40 50]
// Expected: s32[3] [150 1 2]
// Got: s32[3] [50 1 2]
func.func @main(%x: tensor<3xi32>, %updates: tensor<5xi32>) -> tensor<3xi32> {
  %at = stablehlo.constant dense<> : tensor<5x0xi32>
  %0 = "stablehlo.scatter"(%x, %at, %updates) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], index_vector_dim = 1>}
    : (tensor<3xi32>, tensor<5x0xi32>, tensor<5xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
