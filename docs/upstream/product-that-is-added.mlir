// Products that are added
//
// A product that is added to something is not rounded, where the processor has an instruction for both.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[2] [-28.786936 1]
// Input: f32[2] [-0.750238 1]
// Expected: f32[2] [-7.1898823 2]
// Got: f32[2] [-7.1898828 2]
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<2xf32>
  %1 = stablehlo.add %0, %x : tensor<2xf32>
  return %1 : tensor<2xf32>
}
