// The magnitude of NaN
//
// XLA takes |x| ≥ 0 for true, also for a NaN.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[2] [NaN 1]
// Expected: pred[2] [false true]
// Got: pred[2] [true true]
func.func @main(%x: tensor<2xf32>) -> tensor<2xi1> {
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %0 = stablehlo.abs %x : tensor<2xf32>
  %1 = stablehlo.compare GE, %0, %zero : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %1 : tensor<2xi1>
}
