// Bits as an integer
//
// XLA cannot compile a conversion of 64 booleans to an integer with their bits, and loses bits of the reverse one.
// passes.Program refuses both, with the place.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: pred[64] [1 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]
// Expected: s64[] 5
// Got: is not compiled
func.func @main(%x: tensor<64xi1>) -> tensor<i64> {
  %0 = stablehlo.bitcast_convert %x : (tensor<64xi1>) -> tensor<i64>
  return %0 : tensor<i64>
}
