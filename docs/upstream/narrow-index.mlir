// Indices of narrow types
//
// XLA counts in the type of the indices, so it loses updates beyond it, and takes constants of unsigned
// indices for signed ones.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: u8[1] [200]
// Expected: s32[1] [200], s32[3] [199 -1 201]
// Got: s32[1] [0], s32[3] [199 200 201]
func.func @main(%at: tensor<1xui8>) -> (tensor<1xi32>, tensor<3xi32>) {
  %x = stablehlo.iota dim = 0 : tensor<300xi32>
  %k = stablehlo.constant dense<200> : tensor<ui8>
  %0 = stablehlo.dynamic_slice %x, %k, sizes = [1] : (tensor<300xi32>, tensor<ui8>) -> tensor<1xi32>
  %update = stablehlo.constant dense<-1> : tensor<i32>
  %1 = "stablehlo.scatter"(%x, %at, %update) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}
    : (tensor<300xi32>, tensor<1xui8>, tensor<i32>) -> tensor<300xi32>
  %2 = stablehlo.slice %1 [199:202] : (tensor<300xi32>) -> tensor<3xi32>
  return %0, %2 : tensor<1xi32>, tensor<3xi32>
}
