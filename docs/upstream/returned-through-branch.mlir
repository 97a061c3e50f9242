// Values that are returned past a branch
//
// Where a computation returns a value from before an if or a case with side effects, a call or a loop in
// a branch may overwrite it. Here the function clears its result.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[4] [1 2 3 4]
// Expected: f32[4] [2 4 6 8]
// Got: f32[4] [0 0 0 0]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = stablehlo.slice %0 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.compare GT, %2, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %4 = "stablehlo.if"(%3) ({
    %5 = stablehlo.custom_call @calliope_io_callback(%0) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {callback = "clears", form = "passthrough", v = 1 : i64},
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}
      : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %5 : tensor<4xf32>
  }, {
    %6 = stablehlo.negate %0 : tensor<4xf32>
    stablehlo.return %6 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
