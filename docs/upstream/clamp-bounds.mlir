// Clamps with crossed bounds
//
// XLA takes max(clamp(a, x, b), a) for clamp(a, x, b), which is b if that is less than a.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[2] [5 100]
// Expected: s32[2] [64 64]
// Got: s32[2] [-2 -2]
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %low = stablehlo.constant dense<64> : tensor<2xi32>
  %high = stablehlo.constant dense<-2> : tensor<2xi32>
  %0 = stablehlo.clamp %low, %x, %high : tensor<2xi32>
  %1 = stablehlo.maximum %0, %low : tensor<2xi32>
  return %1 : tensor<2xi32>
}
