// Rounded constants of f8E3M4
//
// XLA's folding rounds each constant of f8E3M4 to NaN: it adds a number that is too large for the type.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Expected: f32[2] [2 -3]
// Got: f32[2] [NaN NaN]
func.func @main() -> tensor<2xf32> {
  %c = stablehlo.constant dense<[1.75, -2.75]> : tensor<2xf8E3M4>
  %0 = stablehlo.round_nearest_even %c : tensor<2xf8E3M4>
  %1 = stablehlo.convert %0 : (tensor<2xf8E3M4>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
