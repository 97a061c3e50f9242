// Constants that count from -0
//
// XLA takes a constant of -0, 1, 2 and so on for an iota, which begins with 0.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Expected: f32[3] [-0 1 2]
// Got: f32[3] [0 1 2]
func.func @main() -> tensor<3xf32> {
  %x = stablehlo.constant dense<[-0.0, 0.5, 1.5]> : tensor<3xf32>
  %0 = stablehlo.ceil %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
