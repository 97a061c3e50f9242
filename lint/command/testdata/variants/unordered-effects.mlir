func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.constant dense<0> : tensor<1xi8>
  %a = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true, backend_config = {callback = "log", form = "observe", v = 1 : i64, n_tokens = 1 : i64, effect = "e"}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
  %b = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true, backend_config = {callback = "log", form = "observe", v = 1 : i64, n_tokens = 1 : i64, effect = "e"}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8> // bad
  return %x : tensor<4xf32>
}
// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.constant dense<0> : tensor<1xi8>
  %a = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true, backend_config = {callback = "log", form = "observe", v = 1 : i64, n_tokens = 1 : i64, effect = "e"}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
  %b = stablehlo.custom_call @calliope_io_callback(%x, %a) {api_version = 4 : i32, has_side_effect = true, backend_config = {callback = "log", form = "observe", v = 1 : i64, n_tokens = 1 : i64, effect = "e"}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
  return %x : tensor<4xf32>
}
