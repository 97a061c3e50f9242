// Bits of bits
//
// XLA makes one conversion of bits of two. If the bits have another shape then, its compiler refuses the module.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s64[2] [281483566841860 -1]
// Expected: s16[2,2,2] [4 3 2 1 -1 -1 -1 -1]
// Got: is not compiled
func.func @main(%x: tensor<2xi64>) -> tensor<2x2x2xi16> {
  %0 = stablehlo.bitcast_convert %x : (tensor<2xi64>) -> tensor<2x2xi32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x2xi32>) -> tensor<2x2x2xi16>
  return %1 : tensor<2x2x2xi16>
}
