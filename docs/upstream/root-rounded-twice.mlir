// Roots of f8E3M4
//
// XLA rounds roots of f8E3M4 to f16, and then to f8E3M4.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f8e3m4[2] [3.875 4]
// Expected: f8e3m4[2] [1.9375 2]
// Got: f8e3m4[2] [2 2]
func.func @main(%x: tensor<2xf8E3M4>) -> tensor<2xf8E3M4> {
  %0 = stablehlo.sqrt %x : tensor<2xf8E3M4>
  return %0 : tensor<2xf8E3M4>
}
