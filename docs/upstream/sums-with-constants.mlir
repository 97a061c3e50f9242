// Sums and products with several constants
//
// XLA takes (x + a) + b for x + (a + b), and likewise for products.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[2] [0.5 3]
// Expected: f32[2] [0 0], f32[2] [0.5 3.0000002]
// Got: f32[2] [0.5 3], f32[2] [0.5 3]
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = stablehlo.constant dense<1.0e30> : tensor<2xf32>
  %b = stablehlo.constant dense<-1.0e30> : tensor<2xf32>
  %0 = stablehlo.add %x, %a : tensor<2xf32>
  %1 = stablehlo.add %0, %b : tensor<2xf32>
  %c = stablehlo.constant dense<1.0e-30> : tensor<2xf32>
  %2 = stablehlo.multiply %x, %a : tensor<2xf32>
  %3 = stablehlo.multiply %2, %c : tensor<2xf32>
  return %1, %3 : tensor<2xf32>, tensor<2xf32>
}
