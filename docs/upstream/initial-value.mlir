// Initial values
//
// Where a reduce combines one element with its initial value, XLA returns the element. Where a reduce_window
// adds initial values around its operand, XLA leaves them out.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[2] [5 7]
// Input: s32[] 10
// Expected: s32[2] [15 17], s32[2] [15 17], s32[3] [25 22 27]
// Got: s32[2] [5 7], s32[2] [5 7], s32[3] [15 22 17]
func.func @main(%x: tensor<2xi32>, %i: tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<3xi32>) {
  %row = stablehlo.reshape %x : (tensor<2xi32>) -> tensor<1x2xi32>
  %0 = stablehlo.reduce(%row init: %i) applies stablehlo.add across dimensions = [0]
    : (tensor<1x2xi32>, tensor<i32>) -> tensor<2xi32>
  %1 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = []
    : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %2 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>, padding = dense<1> : tensor<1x2xi64>} : (tensor<2xi32>, tensor<i32>) -> tensor<3xi32>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi32>, tensor<3xi32>
}
