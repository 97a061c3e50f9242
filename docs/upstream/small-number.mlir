// Integers of numbers of 4 bits
//
// The largest number of f4E2M1FN, which is 6, becomes the largest integer.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f4e2m1fn[4] [6 4 -6 -2]
// Expected: s8[4] [6 4 -6 -2], u32[4] [6 4 0 0]
// Got: s8[4] [127 4 -128 -2], u32[4] [4294967295 4 0 0]
func.func @main(%x: tensor<4xf4E2M1FN>) -> (tensor<4xi8>, tensor<4xui32>) {
  %0 = stablehlo.convert %x : (tensor<4xf4E2M1FN>) -> tensor<4xi8>
  %1 = stablehlo.convert %x : (tensor<4xf4E2M1FN>) -> tensor<4xui32>
  return %0, %1 : tensor<4xi8>, tensor<4xui32>
}
