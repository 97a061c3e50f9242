// Products with booleans
//
// XLA takes x · p for x or 0, so the sign of a zero and an infinity are lost.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: pred[2] [0 0]
// Input: f32[2] [-1 +Inf]
// Expected: f32[2] [-0 NaN]
// Got: f32[2] [0 0]
func.func @main(%p: tensor<2xi1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.convert %p : (tensor<2xi1>) -> tensor<2xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
