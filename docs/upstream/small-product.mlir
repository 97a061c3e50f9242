// Products of small integers
//
// XLA has no products of elements of 2 or 4 bits in a wider type, and none of 2 bits.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: u4[2] [15 2]
// Expected: s32[] 229, u4[] 5
// Got: is not compiled
func.func @main(%x: tensor<2xui4>) -> (tensor<i32>, tensor<ui4>) {
  %0 = stablehlo.dot %x, %x : (tensor<2xui4>, tensor<2xui4>) -> tensor<i32>
  %1 = stablehlo.dot %x, %x : (tensor<2xui4>, tensor<2xui4>) -> tensor<ui4>
  return %0, %1 : tensor<i32>, tensor<ui4>
}
