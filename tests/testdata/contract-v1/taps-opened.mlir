module {
  func.func private @f(%arg0: tensor<4xf32>, %arg1: tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>) {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %1 = stablehlo.custom_call @calliope_io_callback(%0, %arg1) {api_version = 4 : i32, backend_config = {callback = "see", every = 2 : i64, form = "observe", loc = "model.py:7", n_tokens = 1 : i64, signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    return %0, %1 : tensor<4xf32>, tensor<1xi8>
  }
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>, %arg2: tensor<i1>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %c_0 = stablehlo.constant dense<0> : tensor<1xi8>
    %0:2 = call @f(%arg0, %c_0) : (tensor<4xf32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
    %1 = stablehlo.custom_call @calliope_io_callback(%0#0, %c) {api_version = 4 : i32, backend_config = {callback = "call", effect = "calls", form = "observe", loc = "-:7", n_tokens = 1 : i64, registry = "v1", signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    %2 = stablehlo.custom_call @calliope_io_callback(%0#1, %1) {api_version = 4 : i32, backend_config = {callback = "call", effect = "calls", form = "observe", loc = "-:7", n_tokens = 1 : i64, registry = "v1", signature = "d6bb164902e4149e", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
    %3:4 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %0#0, %iterArg_2 = %0#1, %iterArg_3 = %2) : tensor<i32>, tensor<4xf32>, tensor<1xi8>, tensor<1xi8>
     cond {
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %6 = stablehlo.compare  LT, %iterArg, %c_4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %7 = stablehlo.custom_call @calliope_io_callback(%6, %iterArg_2) {api_version = 4 : i32, backend_config = {callback = "see", every = 2 : i64, form = "observe", loc = "-:14", n_tokens = 1 : i64, signature = "aad159d1ea55252f", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
      %8:2 = func.call @f(%iterArg_1, %7) : (tensor<4xf32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
      %9 = stablehlo.custom_call @calliope_io_callback(%8#0, %iterArg_3) {api_version = 4 : i32, backend_config = {callback = "call", effect = "calls", form = "observe", loc = "-:15", n_tokens = 1 : i64, registry = "v1", signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
      %10 = stablehlo.custom_call @calliope_io_callback(%8#1, %9) {api_version = 4 : i32, backend_config = {callback = "call", effect = "calls", form = "observe", loc = "-:15", n_tokens = 1 : i64, registry = "v1", signature = "d6bb164902e4149e", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
      stablehlo.return %6, %8#0, %8#1, %10 : tensor<i32>, tensor<4xf32>, tensor<1xi8>, tensor<1xi8>
    }
    %4 = "stablehlo.if"(%arg2) ({
      %6 = stablehlo.multiply %3#1, %arg0 : tensor<4xf32>
      stablehlo.return %6 : tensor<4xf32>
    }, {
      stablehlo.return %3#1 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %5 = stablehlo.custom_call @calliope_io_callback(%4) {api_version = 4 : i32, backend_config = {callback = "last", form = "passthrough", loc = "tests/program_v1_test.go:244", signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    return %5 : tensor<4xf32>
  }
}
