// Extremes of complex numbers
//
// XLA compares the real parts only. With equal real parts, the imaginary parts decide.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: c64[] (1+2i)
// Input: c64[] (1+3i)
// Expected: c64[] (1+3i)
// Got: c64[] (1+2i)
func.func @main(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %0 = stablehlo.maximum %x, %y : tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}
