// Bits of bits through a loop
//
// The same where XLA removes a loop between them.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[1] [67305985]
// Input: s32[] 1
// Expected: u8[1,2,2] [1 2 3 4]
// Got: is not compiled
func.func @main(%x: tensor<1xi32>, %i: tensor<i32>) -> tensor<1x2x2xui8> {
  %0 = stablehlo.bitcast_convert %x : (tensor<1xi32>) -> tensor<1x2xi16>
  %1:2 = stablehlo.while(%a = %0, %b = %i) : tensor<1x2xi16>, tensor<i32>
  cond {
    %3 = stablehlo.compare NE, %b, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    stablehlo.return %a, %b : tensor<1x2xi16>, tensor<i32>
  }
  %2 = stablehlo.bitcast_convert %1#0 : (tensor<1x2xi16>) -> tensor<1x2x2xui8>
  return %2 : tensor<1x2x2xui8>
}
