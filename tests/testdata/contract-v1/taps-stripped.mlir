module @taps_stripped {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0 = stablehlo.custom_call @calliope_io_callback(%arg0, %c) {api_version = 4 : i32, backend_config = {callback = "stays", form = "observe", loc = "tests/program_v1_test.go:252", n_tokens = 1 : i64, signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1:3 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %arg0, %iterArg_3 = %0) : tensor<i32>, tensor<4xf32>, tensor<1xi8>
     cond {
      %2 = stablehlo.compare  LT, %iterArg, %c_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.custom_call @calliope_io_callback(%iterArg, %iterArg_3) {api_version = 4 : i32, backend_config = {callback = "stays", form = "observe", loc = "tests/program_v1_test.go:255", n_tokens = 1 : i64, signature = "aad159d1ea55252f", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
      %3 = stablehlo.add %iterArg_2, %iterArg_2 : tensor<4xf32>
      %4 = stablehlo.custom_call @calliope_io_callback(%3) {api_version = 4 : i32, backend_config = {callback = "pass", form = "passthrough", loc = "tests/program_v1_test.go:257", signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      stablehlo.return %5, %4, %2 : tensor<i32>, tensor<4xf32>, tensor<1xi8>
    }
    return %1#1 : tensor<4xf32>
  }
}
