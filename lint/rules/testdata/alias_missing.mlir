func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<3xui8>) {
  %0 = stablehlo.custom_call @calliope_io_callback(%a) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "passthrough", callback = "f"}} : (tensor<4xf32>) -> tensor<4xf32> // want "^warning: callback .f. passes its operands through, but result 0 is not aliased to its operand: .* .alias-missing.$" fix "^set output_operand_aliases = .#stablehlo.output_operand_alias<output_tuple_indices = .., operand_index = 0, operand_tuple_indices = ..>.$"
  %1:2 = stablehlo.custom_call @calliope_io_callback(%a, %b) {backend_config = "", mhlo.backend_config = {v = 1 : i64, form = "passthrough", callback = "f"}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) // want "result 0 is not aliased to its operand" fix "output_tuple_indices = .0., operand_index = 0, operand_tuple_indices = ..>, #stablehlo.output_operand_alias<output_tuple_indices = .1., operand_index = 1" "jax-spelling" "alias-copies"
  %2:2 = stablehlo.custom_call @exla_runtime_callback(%s, %a, %b) {api_version = 4 : i32, has_side_effect = true, backend_config = {callback_id = array<i64: 97>, callback_id_size = 1 : ui64, num_aliased_data_outputs = 2 : ui64}} : (tensor<3xui8>, tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) // want "the results 0 and 1 are not aliased to their operands" fix "output_tuple_indices = .0., operand_index = 1, .*output_tuple_indices = .1., operand_index = 2" "callback-binding"
  // Other forms need no alias.
  %3 = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f"}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// XLA would let the call overwrite %x, which the function returns.
func.func @branches(%a: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %x = stablehlo.cosine %a : tensor<4xf32>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {callback = "log", form = "passthrough", v = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
