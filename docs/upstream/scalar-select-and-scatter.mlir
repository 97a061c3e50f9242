// Scalars that are selected and scattered
//
// XLA's compiler ends the process on a select_and_scatter of an array without dimensions.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[] 4
// Input: s32[] 5
// Input: s32[] 6
// Expected: s32[] 11
// Got: ends the process
func.func @main(%x: tensor<i32>, %y: tensor<i32>, %i: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.select_and_scatter"(%x, %y, %i) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64>} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
