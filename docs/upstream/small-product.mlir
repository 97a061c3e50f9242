// Products of small integers
//
// XLA has no products of elements of 2 or 4 bits in a wider type, and none of 2 bits.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: u4[2] [15 2]
// Input: u2[2] [3 1]
// Expected: s32[] 229, u4[] 5, u2[] 2
// Got: is not compiled
func.func @main(%x: tensor<2xui4>, %y: tensor<2xui2>) -> (tensor<i32>, tensor<ui4>, tensor<ui2>) {
  %0 = stablehlo.dot %x, %x : (tensor<2xui4>, tensor<2xui4>) -> tensor<i32>
  %1 = stablehlo.dot %x, %x : (tensor<2xui4>, tensor<2xui4>) -> tensor<ui4>
  %2 = stablehlo.einsum %y, %y, config = "i,i->" : (tensor<2xui2>, tensor<2xui2>) -> tensor<ui2>
  return %0, %1, %2 : tensor<i32>, tensor<ui4>, tensor<ui2>
}
