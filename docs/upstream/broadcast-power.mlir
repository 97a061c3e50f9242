// Large exponents that are broadcast
//
// XLA reads only the low six bits of an exponent also where CHLO broadcasts it.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[] 3
// Input: s32[4] [64 4095 65 70]
// Expected: s32[4] [2038349057 2094688939 1820079875 -102221863]
// Got: s32[4] [1 2111105451 3 729]
func.func @main(%x: tensor<i32>, %k: tensor<4xi32>) -> tensor<4xi32> {
  %0 = chlo.broadcast_power %x, %k : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
