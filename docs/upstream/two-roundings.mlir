// Numbers that are rounded twice
//
// XLA converts f64 to types of 16 bits, and integers to bf16, by way of f32. A number next to the middle of two
// results is rounded to the middle, and then to the even one of both.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f64[2] [1.0004882812509095 -1]
// Input: s32[2] [1077936129 -3]
// Expected: f16[2] [1.0009766 -1], bf16[2] [1.0821304e+09 -3]
// Got: f16[2] [1 -1], bf16[2] [1.0737418e+09 -3]
func.func @main(%x: tensor<2xf64>, %y: tensor<2xi32>) -> (tensor<2xf16>, tensor<2xbf16>) {
  %0 = stablehlo.convert %x : (tensor<2xf64>) -> tensor<2xf16>
  %1 = stablehlo.convert %y : (tensor<2xi32>) -> tensor<2xbf16>
  return %0, %1 : tensor<2xf16>, tensor<2xbf16>
}
