// Products of nothing
//
// The code of an exact compile divides by the number of elements that a product adds up, also where it is 0.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f64[0] []
// Input: f64[0] []
// Expected: f64[] 0
// Got: ends the process
func.func @main(%x: tensor<0xf64>, %y: tensor<0xf64>) -> tensor<f64> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<0xf64>, tensor<0xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}
