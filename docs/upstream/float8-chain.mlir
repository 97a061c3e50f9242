// Chains of eight bits
//
// XLA makes one kernel of a chain of operations on floating-point numbers of eight bits. The time that LLVM
// takes for it grows exponentially: here are fourteen sums and a maximum. An exact compile of numbers of f8E3M4,
// f8E4M3 and f8E5M2FNUZ takes minutes for the maximum of a row that is broadcast.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f8e4m3fn[3] [1 2 3]
// Expected: f8e4m3fn[3] [15 30 52]
// Got: is not compiled in an hour
func.func @main(%x: tensor<3xf8E4M3FN>) -> tensor<3xf8E4M3FN> {
  %0 = stablehlo.add %x, %x : tensor<3xf8E4M3FN>
  %1 = stablehlo.add %0, %x : tensor<3xf8E4M3FN>
  %2 = stablehlo.add %1, %x : tensor<3xf8E4M3FN>
  %3 = stablehlo.add %2, %x : tensor<3xf8E4M3FN>
  %4 = stablehlo.add %3, %x : tensor<3xf8E4M3FN>
  %5 = stablehlo.add %4, %x : tensor<3xf8E4M3FN>
  %6 = stablehlo.add %5, %x : tensor<3xf8E4M3FN>
  %7 = stablehlo.add %6, %x : tensor<3xf8E4M3FN>
  %8 = stablehlo.add %7, %x : tensor<3xf8E4M3FN>
  %9 = stablehlo.add %8, %x : tensor<3xf8E4M3FN>
  %10 = stablehlo.add %9, %x : tensor<3xf8E4M3FN>
  %11 = stablehlo.add %10, %x : tensor<3xf8E4M3FN>
  %12 = stablehlo.add %11, %x : tensor<3xf8E4M3FN>
  %13 = stablehlo.add %12, %x : tensor<3xf8E4M3FN>
  %r = stablehlo.maximum %x, %13 : tensor<3xf8E4M3FN>
  return %r : tensor<3xf8E4M3FN>
}
