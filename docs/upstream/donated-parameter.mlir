// Donated parameters
//
// Where main returns a donated parameter unchanged as its only result, a call or a loop in a branch may overwrite
// it. Here the function clears its result.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Inputs are donated
// Input: f32[4] [1 2 3 4]
// Expected: f32[4] [1 2 3 4]
// Got: f32[4] [0 0 0 0]
func.func @main(%x: tensor<4xf32> {jax.buffer_donor = true}) -> tensor<4xf32> {
  %0 = stablehlo.slice %x [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.compare GT, %1, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %3 = "stablehlo.if"(%2) ({
    %4 = stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {callback = "clears", form = "passthrough", v = 1 : i64},
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}
      : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %4 : tensor<4xf32>
  }, {
    %5 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %5 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
