// Quotients of powers of integers
//
// XLA takes x / yⁿ for x · y⁻ⁿ, which is 0 for most integers.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[2] [1000 1000]
// Input: s32[2] [3 2]
// Expected: s32[2] [4 31]
// Got: s32[2] [0 0]
func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
  %k = stablehlo.constant dense<5> : tensor<2xi32>
  %0 = stablehlo.power %y, %k : tensor<2xi32>
  %1 = stablehlo.divide %x, %0 : tensor<2xi32>
  return %1 : tensor<2xi32>
}
