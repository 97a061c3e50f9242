// Signs of constants
//
// The folding of constants takes 0 for the sign of -0, which is -0.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Expected: f32[2] [-0 1]
// Got: f32[2] [0 1]
func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[-0.0, 3.0]> : tensor<2xf32>
  %0 = stablehlo.sign %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
