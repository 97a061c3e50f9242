// Calls in comparators
//
// XLA has no code for a custom call in the comparator of a sort, and none in the body of an all_reduce.
// Package builder and passes.Program refuse such modules, with the place of the call.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[4] [3 1 2 4]
// Expected: f32[4] [1 2 3 4]
// Got: is not compiled
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, has_side_effect = false,
      backend_config = {callback = "copies", form = "pure", v = 1 : i64}} : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.compare LT, %1, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
