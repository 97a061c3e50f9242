// Extremes of NaN
//
// With xla_cpu_enable_fast_min_max, which XLA sets, maximum, minimum and clamp drop a NaN.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Flag: xla_cpu_enable_fast_min_max=true
// Input: f32[2] [1 2]
// Input: f32[2] [NaN 1]
// Expected: f32[2] [NaN 2]
// Got: f32[2] [1 2]
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.maximum %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
