// Slices in a scatter
//
// XLA makes slices of a scatter of one window, and adds their starts to those of the slice that is
// updated before it clamps them.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[5,8] [0 1 2 3 4 5 6 7 …]
// Input: s32[] 3
// Expected: s32[2,6] [26 127 28 29 30 31 34 35 …]
// Got: s32[2,6] [26 128 28 29 30 31 34 35 …]
func.func @main(%x: tensor<5x8xi32>, %i: tensor<i32>) -> tensor<2x6xi32> {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 6] : (tensor<5x8xi32>, tensor<i32>, tensor<i32>) -> tensor<2x6xi32>
  %at = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %c = stablehlo.constant dense<100> : tensor<i32>
  %1 = "stablehlo.scatter"(%0, %at, %c) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %2 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<2x6xi32>, tensor<2xi32>, tensor<i32>) -> tensor<2x6xi32>
  return %1 : tensor<2x6xi32>
}
