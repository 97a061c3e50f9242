// Large exponents of integers
//
// XLA reads only the low six bits of the exponent of an integer.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[4] [3 3 -3 2]
// Input: s32[4] [64 4095 65 70]
// Expected: s32[4] [2038349057 2094688939 -1820079875 0]
// Got: s32[4] [1 2111105451 -3 64]
func.func @main(%x: tensor<4xi32>, %k: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.power %x, %k : tensor<4xi32>
  return %0 : tensor<4xi32>
}
