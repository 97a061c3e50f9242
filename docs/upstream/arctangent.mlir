// Arctangents
//
// The code for an arctangent, or an atan2 with 1, of several dimensions mixes elements, and reads memory that is
// not initialized: here all elements are π / 4.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f64[4,2] [1 1 1 1 1 1 1 1]
// Expected: pred[] true
// Got: pred[] false
func.func @main(%x: tensor<4x2xf64>) -> tensor<i1> {
  %0 = chlo.atan %x : tensor<4x2xf64> -> tensor<4x2xf64>
  %1 = stablehlo.optimization_barrier %0 : tensor<4x2xf64>
  %2 = stablehlo.constant dense<0.7853981633974483> : tensor<4x2xf64>
  %3 = stablehlo.subtract %1, %2 : tensor<4x2xf64>
  %4 = stablehlo.abs %3 : tensor<4x2xf64>
  %5 = stablehlo.constant dense<0.01> : tensor<4x2xf64>
  %6 = stablehlo.compare LT, %4, %5 : (tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<4x2xi1>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %7 = stablehlo.reduce(%6 init: %true) applies stablehlo.and across dimensions = [0, 1]
    : (tensor<4x2xi1>, tensor<i1>) -> tensor<i1>
  return %7 : tensor<i1>
}
