module @options {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<5> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<1xi8>
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_3 = %arg0, %iterArg_4 = %c_1) : tensor<i32>, tensor<4xf32>, tensor<1xi8>
     cond {
      %7 = stablehlo.compare  LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7 = stablehlo.custom_call @calliope_io_callback(%iterArg, %iterArg_4) {api_version = 4 : i32, backend_config = {callback = "every second", effect = "e", every = 2 : i64, form = "observe", loc = "tests/program_v1_test.go:85", n_tokens = 1 : i64, signature = "aad159d1ea55252f", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
      %8 = stablehlo.custom_call @calliope_io_callback(%iterArg, %7) {api_version = 4 : i32, backend_config = {callback = "each time", effect = "e", every = 1 : i64, form = "observe", loc = "tests/program_v1_test.go:86", n_tokens = 1 : i64, signature = "aad159d1ea55252f", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
      %9 = stablehlo.add %iterArg_3, %iterArg_3 : tensor<4xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %iterArg, %c_5 : tensor<i32>
      stablehlo.return %10, %9, %8 : tensor<i32>, tensor<4xf32>, tensor<1xi8>
    }
    %1 = stablehlo.custom_call @calliope_io_callback(%0#1) {api_version = 4 : i32, backend_config = {callback = "log", form = "passthrough", loc = "tests/program_v1_test.go:89", registry = "v1", signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @calliope_io_callback(%1) {api_version = 4 : i32, backend_config = {callback = "log", form = "passthrough", loc = "tests/program_v1_test.go:90", signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.custom_call @calliope_io_callback(%2) {api_version = 4 : i32, backend_config = {callback = "absent", form = "passthrough", loc = "tests/program_v1_test.go:91", optional = true, signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    %4 = stablehlo.custom_call @calliope_io_callback(%3) {api_version = 4 : i32, backend_config = {callback = "absent too", form = "passthrough", loc = "tests/program_v1_test.go:92", optional = true, registry = "absent", signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    %5 = stablehlo.custom_call @calliope_io_callback(%4) {api_version = 4 : i32, backend_config = {callback = "here", every = 1 : i64, form = "passthrough", loc = "tests/program_v1_test.go:93", optional = true, signature = "9234043154f3a2ea", transforms = "vmap(8), grad", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<1xi8>
    %6:2 = stablehlo.custom_call @calliope_io_callback(%5, %c_2) {api_version = 4 : i32, backend_config = {callback = "na\C3\AFve \22log\22\\n\09\01\7F \E5\90\8D", effect = "ef \22fect\22", form = "passthrough", loc = "tests/program_v1_test.go:94", n_tokens = 1 : i64, registry = "re/gis'try", signature = "9234043154f3a2ea", transforms = "\0D\0A", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
    return %6#0 : tensor<4xf32>
  }
}
