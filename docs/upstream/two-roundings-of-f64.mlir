// Halves of f64 that are rounded twice
//
// XLA converts f64 to types of 16 bits by way of f32, too. Processors with AVX512-FP16 convert to f16 at once, and
// do not show it.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f64[2] [1.0004882812509095 -1]
// Expected: f16[2] [1.0009766 -1]
// Got: f16[2] [1 -1]
func.func @main(%x: tensor<2xf64>) -> tensor<2xf16> {
  %0 = stablehlo.convert %x : (tensor<2xf64>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}
