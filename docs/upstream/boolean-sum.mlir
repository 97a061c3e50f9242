// Sums of booleans
//
// The folding of constants adds booleans modulo 2. In StableHLO, a sum of booleans is a logical or.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: pred[2] [1 0]
// Input: pred[2] [1 1]
// Expected: pred[2] [true true], f32[2] [1 1], pred[] true
// Got: pred[2] [true true], f32[2] [1 1], pred[] false
func.func @main(%x: tensor<2xi1>, %y: tensor<2xi1>) -> (tensor<2xi1>, tensor<2xf32>, tensor<i1>) {
  %0 = stablehlo.add %x, %y : tensor<2xi1>
  %1 = stablehlo.convert %0 : (tensor<2xi1>) -> tensor<2xf32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %2 = stablehlo.add %true, %true : tensor<i1>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xf32>, tensor<i1>
}
