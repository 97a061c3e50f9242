// Calls in functions that custom calls name
//
// XLA has no code for a custom call in a function that another one names (called_computations), such as the
// comparator of ApproxTopK. passes.InsertTap taps nothing there, and passes.Program refuses such modules.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[4] [3 1 2 4]
// Expected: f32[2] [4 3]
// Got: is not compiled
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %least, %none) {api_version = 4 : i32, called_computations = [@greater],
    backend_config = {top_k = 2 : i64, reduction_dim = 0 : i64, recall_target = 0.95 : f32, aggregate_to_topk = true,
      reduction_input_size_override = -1 : i64, is_fallback = true}}
    : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0 : tensor<2xf32>
}
func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %k = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, has_side_effect = false,
    backend_config = {callback = "copies", form = "pure", v = 1 : i64}} : (tensor<f32>) -> tensor<f32>
  %r = stablehlo.compare GT, %k, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %r : tensor<i1>
}
