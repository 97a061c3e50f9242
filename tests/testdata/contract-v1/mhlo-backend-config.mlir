module @mhlo_backend_config {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %1:2 = stablehlo.custom_call @calliope_io_callback(%0, %c) {backend_config = "", has_side_effect = true, mhlo.backend_config = {callback = "log", effect = "io", form = "passthrough", loc = "tests/program_v1_test.go:215", n_tokens = 1 : i64, signature = "9234043154f3a2ea", v = 1 : i64}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
    %2:2 = stablehlo.custom_call @calliope_runtime_call(%1#0, %1#1) {backend_config = "", has_side_effect = true, mhlo.backend_config = {callback = "call", effect = "io", form = "call", loc = "tests/program_v1_test.go:216", n_tokens = 1 : i64, signature = "9234043154f3a2ea", v = 1 : i64}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
    return %2#0 : tensor<4xf32>
  }
}
