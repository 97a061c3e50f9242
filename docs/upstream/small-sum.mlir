// Sums of small floating-point types
//
// XLA does not round a sum of bf16 that is converted to f32, and likewise other operations and types of 16 bits.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: bf16[2] [0.08544922 1]
// Input: bf16[2] [-0.5859375 1]
// Expected: f32[2] [-0.5 2]
// Got: f32[2] [-0.5004883 2]
func.func @main(%x: tensor<2xbf16>, %y: tensor<2xbf16>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xbf16>
  %1 = stablehlo.convert %0 : (tensor<2xbf16>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
