// Calls in conditions of loops
//
// Where XLA knows how often a loop runs, it does not evaluate the condition, so it loses the calls there.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[4] [1 2 3 4]
// Expected: f32[4] [16 32 48 64], 5 calls
// Got: f32[4] [16 32 48 64], 0 calls
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    stablehlo.custom_call @calliope_runtime_call() {api_version = 4 : i32, has_side_effect = true,
      backend_config = {callback = "watches", form = "call", v = 1 : i64}} : () -> ()
    %four = stablehlo.constant dense<4> : tensor<i32>
    %0 = stablehlo.compare LT, %i, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %v, %v : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
