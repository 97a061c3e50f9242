// "output_operand_aliases" in a comment or a string stays.
#0 = #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>
#1 = #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  %0:2 = stablehlo.custom_call @calliope_io_callback(%a, %b) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "passthrough", callback = "output_operand_aliases"}, output_operand_aliases = [#0, #1]} : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) // want "^error: alias 0 of the call of @calliope_io_callback: an empty output path means the tuple of all 2 results: .* .alias-whole-tuple.$" fix "^set output_operand_aliases = .#stablehlo.output_operand_alias<output_tuple_indices = .0., operand_index = 0, operand_tuple_indices = ..>, #stablehlo.output_operand_alias<output_tuple_indices = .1., operand_index = 1, operand_tuple_indices = ..>.$" "^error: alias 1 of .* .alias-whole-tuple.$" fix "set"
  // The only result of its type.
  %1:2 = "stablehlo.custom_call"(%a) <{call_target_name = "f", api_version = 4 : i32, output_operand_aliases = [#0]}> : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x3xf32>) // want "alias-whole-tuple" fix "output_tuple_indices = .1., operand_index = 0"
  // Two results of its type.
  %2:2 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, output_operand_aliases = [#0]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) // want "alias-whole-tuple" fix "^none$"
  return
}
