// Updates by a part of the array in another shape
//
// It does so, too, where the slice is one of the array before it gets another shape, also in an exact compile.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[6] [1 2 3 4 5 6]
// Input: s32[] 1
// Expected: s32[3,2] [1 2 1 2 3 4]
// Got: s32[3,2] [1 2 1 2 1 2]
func.func @main(%x: tensor<6xi32>, %i: tensor<i32>) -> tensor<3x2xi32> {
  %0 = stablehlo.reshape %x : (tensor<6xi32>) -> tensor<3x2xi32>
  %1 = stablehlo.slice %x [0:4] : (tensor<6xi32>) -> tensor<4xi32>
  %2 = stablehlo.reshape %1 : (tensor<4xi32>) -> tensor<2x2xi32>
  %3 = stablehlo.dynamic_update_slice %0, %2, %i, %i : (tensor<3x2xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x2xi32>
  return %3 : tensor<3x2xi32>
}
