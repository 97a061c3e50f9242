// Calls in reductions
//
// XLA's compiler crashes on a custom call in the body of a reduce, reduce_window, scatter, select_and_scatter
// or map. Package builder and passes.Program refuse such modules, with the place of the call.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[4] [3 1 2 4]
// Expected: f32[] 10
// Got: ends the process
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, has_side_effect = false,
      backend_config = {callback = "copies", form = "pure", v = 1 : i64}} : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.add %1, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}
