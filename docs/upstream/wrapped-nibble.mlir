// Integers of 4 bits that wrap
//
// XLA computes integers of 4 bits in 8 bits, and takes the result for one of 8 bits where it is converted to them.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s4[3] [-8 7 3]
// Input: u4[3] [0 1 15]
// Expected: s8[3] [0 -2 6], u8[3] [15 14 0]
// Got: s8[3] [-16 14 6], u8[3] [255 254 240]
func.func @main(%x: tensor<3xi4>, %y: tensor<3xui4>) -> (tensor<3xi8>, tensor<3xui8>) {
  %0 = stablehlo.add %x, %x : tensor<3xi4>
  %1 = stablehlo.convert %0 : (tensor<3xi4>) -> tensor<3xi8>
  %2 = stablehlo.not %y : tensor<3xui4>
  %3 = stablehlo.convert %2 : (tensor<3xui4>) -> tensor<3xui8>
  return %1, %3 : tensor<3xi8>, tensor<3xui8>
}
