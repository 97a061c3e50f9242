// Quotients by a constant
//
// XLA multiplies by the reciprocal of a constant, or of a square root, so the last bit may differ.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[2] [-1.4380158e+07 1]
// Expected: f32[2] [-1.4380158e+06 0.1]
// Got: f32[2] [-1.4380159e+06 0.1]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %ten = stablehlo.constant dense<10.0> : tensor<2xf32>
  %0 = stablehlo.divide %x, %ten : tensor<2xf32>
  return %0 : tensor<2xf32>
}
