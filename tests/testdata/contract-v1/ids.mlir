module @ids {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %1 = stablehlo.custom_call @calliope_io_callback(%0) {api_version = 4 : i32, backend_config = {callback_id = 987654321 : i64, form = "passthrough", loc = "tests/program_v1_test.go:99", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %2 = stablehlo.custom_call @calliope_io_callback(%1, %c) {api_version = 4 : i32, backend_config = {callback_id = 987654321 : i64, effect = "e", form = "observe", loc = "tests/program_v1_test.go:100", n_tokens = 1 : i64, v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    %3:2 = stablehlo.custom_call @calliope_runtime_call(%1, %2) {api_version = 4 : i32, backend_config = {callback_id = 987654321 : i64, effect = "e", form = "call", loc = "tests/program_v1_test.go:101", n_tokens = 1 : i64, v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
    return %3#0 : tensor<4xf32>
  }
}
