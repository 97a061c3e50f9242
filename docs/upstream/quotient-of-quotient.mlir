// Quotients of quotients
//
// XLA takes x / (y / z) for (x · z) / y, and (x / y) / z for x / (y · z), where products may overflow.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[2] [1e+30 2]
// Input: f32[2] [1e+30 1]
// Expected: f32[2] [1e+30 4]
// Got: f32[2] [+Inf 4]
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.divide %y, %x : tensor<2xf32>
  %1 = stablehlo.divide %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
