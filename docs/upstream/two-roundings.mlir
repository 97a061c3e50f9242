// Numbers that are rounded twice
//
// XLA converts integers to bf16 by way of f32. A number next to the middle of two results is rounded to the
// middle, and then to the even one of both.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[2] [1077936129 -3]
// Expected: bf16[2] [1.0821304e+09 -3]
// Got: bf16[2] [1.0737418e+09 -3]
func.func @main(%x: tensor<2xi32>) -> tensor<2xbf16> {
  %0 = stablehlo.convert %x : (tensor<2xi32>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
