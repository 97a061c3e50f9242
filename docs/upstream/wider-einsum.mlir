// Products of labels of a wider type
//
// XLA gives an einsum the element type of its operands, whatever the module says.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s8[3] [100 100 100]
// Expected: s32[] 30000
// Got: s8[] 48
func.func @main(%x: tensor<3xi8>) -> tensor<i32> {
  %y = stablehlo.constant dense<100> : tensor<3xi8>
  %0 = stablehlo.einsum %x, %y, config = "i,i->" : (tensor<3xi8>, tensor<3xi8>) -> tensor<i32>
  return %0 : tensor<i32>
}
