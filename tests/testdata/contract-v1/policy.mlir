module @policy {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0 = stablehlo.custom_call @calliope_io_callback(%arg0, %c) {api_version = 4 : i32, backend_config = {callback = "see", form = "observe", loc = "tests/program_v1_test.go:114", n_tokens = 1 : i64, policy = "once", signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    %1 = stablehlo.negate %arg0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
