module @target {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0 = stablehlo.custom_call @test_target(%arg0, %c) {api_version = 4 : i32, backend_config = {callback = "see", form = "observe", loc = "tests/program_v1_test.go:210", n_tokens = 1 : i64, signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    %1 = stablehlo.negate %arg0 : tensor<4xf32>
    %2 = stablehlo.custom_call @test_target(%1) {api_version = 4 : i32, backend_config = {callback = "log", form = "passthrough", loc = "tests/program_v1_test.go:211", signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
