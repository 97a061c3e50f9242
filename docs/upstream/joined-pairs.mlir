// Joined arrays of two bits
//
// XLA's compiler ends the process on a concatenation of elements of 2 bits.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: u2[2] [3 1]
// Expected: u2[4] [3 1 3 1]
// Got: ends the process
func.func @main(%x: tensor<2xui2>) -> tensor<4xui2> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2xui2>, tensor<2xui2>) -> tensor<4xui2>
  return %0 : tensor<4xui2>
}
