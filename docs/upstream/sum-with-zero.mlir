// Sums with zero
//
// XLA takes x + 0 for x, which is -0 if x is, and not 0.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[2] [-0 1]
// Expected: f32[2] [0 1]
// Got: f32[2] [-0 1]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %0 = stablehlo.add %x, %zero : tensor<2xf32>
  return %0 : tensor<2xf32>
}
