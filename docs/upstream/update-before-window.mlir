// Shifted updates before a window
//
// An array that is updated by a slice of itself is read after it was written, if a reduce_window takes the result,
// to which XLA adds a dimension.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[6] [1 2 3 4 5 6]
// Input: s32[] 3
// Expected: s32[3] [6 10 18]
// Got: s32[3] [6 8 8]
func.func @main(%x: tensor<6xi32>, %i: tensor<i32>) -> tensor<3xi32> {
  %0 = stablehlo.add %x, %x : tensor<6xi32>
  %1 = stablehlo.slice %0 [1:5] : (tensor<6xi32>) -> tensor<4xi32>
  %2 = stablehlo.dynamic_update_slice %0, %1, %i : (tensor<6xi32>, tensor<4xi32>, tensor<i32>) -> tensor<6xi32>
  %3 = stablehlo.constant dense<0> : tensor<i32>
  %4 = "stablehlo.reduce_window"(%2, %3) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %5 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %5 : tensor<i32>
    }) : (tensor<6xi32>, tensor<i32>) -> tensor<3xi32>
  return %4 : tensor<3xi32>
}
