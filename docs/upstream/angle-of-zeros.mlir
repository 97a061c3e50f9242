// Angles of zeros
//
// An exact compile folds the atan2 of two constants that are zero to NaN.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Expected: f32[2] [0 0], f32[2] [3.1415927 3.1415927]
// Got: f32[2] [NaN NaN], f32[2] [NaN NaN]
func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %negative = stablehlo.constant dense<-0.0> : tensor<2xf32>
  %0 = stablehlo.atan2 %zero, %zero : tensor<2xf32>
  %1 = stablehlo.atan2 %zero, %negative : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
