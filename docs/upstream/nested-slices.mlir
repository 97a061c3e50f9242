// Slices of slices
//
// XLA makes one slice of two, and adds their starts before it clamps the sum: a start out of range moves what
// is read, also out of the first slice. A gather of one window is such a slice, too.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[6] [0 1 2 3 4 5]
// Input: s32[] 0
// Input: s32[] 7
// Expected: s32[2] [2 3]
// Got: s32[2] [4 5]
func.func @main(%x: tensor<6xi32>, %i: tensor<i32>, %k: tensor<i32>) -> tensor<2xi32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<6xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = stablehlo.dynamic_slice %0, %k, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %1 : tensor<2xi32>
}
