// Updates of a window's result
//
// XLA computes windows over one dimension in an array of two, so it is the same with them.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[1] [0]
// Expected: s32[4] [2147483647 2147483647 2147483647 0]
// Got: s32[4] [2147483647 2147483647 2147483647 2147483647]
func.func @main(%x: tensor<1xi32>) -> tensor<4xi32> {
  %most = stablehlo.constant dense<2147483647> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %most) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.minimum %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) {window_dimensions = array<i64: 1>, padding = dense<[[2, 1]]> : tensor<1x2xi64>}
    : (tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = stablehlo.slice %0 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %3 = stablehlo.dynamic_update_slice %0, %2, %i : (tensor<4xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  return %3 : tensor<4xi32>
}
