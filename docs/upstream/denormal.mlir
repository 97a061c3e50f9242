// Denormal numbers
//
// Denormal numbers are taken for 0.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[2] [1e-30 1]
// Input: f32[2] [1e-10 1]
// Expected: f32[2] [1e-40 1]
// Got: f32[2] [0 1]
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
