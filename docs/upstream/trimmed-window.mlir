// Windows of one element
//
// XLA's compiler ends the process on a reduce_window whose windows have one element and whose padding removes
// elements.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[3] [4 5 6]
// Expected: s32[2] [4 5]
// Got: ends the process
func.func @main(%x: tensor<3xi32>) -> tensor<2xi32> {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 1>, padding = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
