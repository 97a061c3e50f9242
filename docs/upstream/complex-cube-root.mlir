// Complex cube roots
//
// XLA has no cube root of complex numbers.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: c64[2] [(8+0i) (1+0i)]
// Expected: c64[2] [(2+0i) (1+0i)]
// Got: is not compiled
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.cbrt %x : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
