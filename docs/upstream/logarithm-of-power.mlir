// Logarithms of powers
//
// XLA takes log(x^y) for log(|x|) · y, although a negative number has no logarithm.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[2] [-10 2]
// Input: f32[2] [-1 3]
// Expected: f32[2] [NaN 2.0794415]
// Got: f32[2] [-2.3025851 2.0794415]
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.power %x, %y : tensor<2xf32>
  %1 = stablehlo.log %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
