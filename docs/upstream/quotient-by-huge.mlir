// Quotients by huge numbers
//
// XLA multiplies by the reciprocal of a constant, and of a number that is broadcast. That of a number from 2^126
// on is denormal, which XLA takes for zero. The quotient of an infinity is NaN then.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[2] [3e+38 +Inf]
// Input: f32[] 2e+38
// Expected: f32[2] [1.5 +Inf]
// Got: f32[2] [0 NaN]
func.func @main(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  %all = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %0 = stablehlo.divide %x, %all : tensor<2xf32>
  return %0 : tensor<2xf32>
}
