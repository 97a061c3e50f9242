module @control_flow {
  func.func @g(%arg0: tensor<4xf32>, %arg1: tensor<1xi8>, %arg2: tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>, tensor<1xi8>) {
    %0 = stablehlo.custom_call @calliope_io_callback(%arg0, %arg1) {api_version = 4 : i32, backend_config = {callback = "in g", form = "observe", loc = "tests/program_v1_test.go:142", n_tokens = 1 : i64, signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    %1 = stablehlo.negate %arg0 : tensor<4xf32>
    %2:2 = stablehlo.custom_call @calliope_io_callback(%1, %arg2) {api_version = 4 : i32, backend_config = {callback = "through g", effect = "io", form = "passthrough", loc = "tests/program_v1_test.go:143", n_tokens = 1 : i64, signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
    return %2#0, %0, %2#1 : tensor<4xf32>, tensor<1xi8>, tensor<1xi8>
  }
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i1>, %arg2: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %c_0 = stablehlo.constant dense<0> : tensor<1xi8>
    %0:3 = call @g(%arg0, %c, %c_0) : (tensor<4xf32>, tensor<1xi8>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>, tensor<1xi8>)
    %1:2 = "stablehlo.if"(%arg1) ({
      %10 = stablehlo.custom_call @calliope_io_callback(%0#0, %0#1) {api_version = 4 : i32, backend_config = {callback = "then", form = "observe", loc = "tests/program_v1_test.go:147", n_tokens = 1 : i64, signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
      %11 = stablehlo.negate %0#0 : tensor<4xf32>
      stablehlo.return %11, %10 : tensor<4xf32>, tensor<1xi8>
    }, {
      %10 = stablehlo.custom_call @calliope_io_callback(%0#0, %0#1) {api_version = 4 : i32, backend_config = {callback = "else", form = "observe", loc = "tests/program_v1_test.go:150", n_tokens = 1 : i64, signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
      stablehlo.return %0#0, %10 : tensor<4xf32>, tensor<1xi8>
    }) : (tensor<i1>) -> (tensor<4xf32>, tensor<1xi8>)
    %2:2 = "stablehlo.case"(%arg2) ({
      stablehlo.return %1#0, %0#2 : tensor<4xf32>, tensor<1xi8>
    }, {
      %10:2 = stablehlo.custom_call @calliope_runtime_call(%1#0, %0#2) {api_version = 4 : i32, backend_config = {callback = "case", effect = "io", form = "call", loc = "tests/program_v1_test.go:154", n_tokens = 1 : i64, signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
      stablehlo.return %10#0, %10#1 : tensor<4xf32>, tensor<1xi8>
    }) : (tensor<i32>) -> (tensor<4xf32>, tensor<1xi8>)
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %3:4 = stablehlo.while(%iterArg = %c_2, %iterArg_6 = %2#0, %iterArg_7 = %1#1, %iterArg_8 = %2#1) : tensor<i32>, tensor<4xf32>, tensor<1xi8>, tensor<1xi8>
     cond {
      %10 = stablehlo.compare  LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10:3 = func.call @g(%iterArg_6, %iterArg_7, %iterArg_8) : (tensor<4xf32>, tensor<1xi8>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>, tensor<1xi8>)
      %11 = stablehlo.custom_call @calliope_io_callback(%iterArg, %10#1) {api_version = 4 : i32, backend_config = {callback = "turn", form = "observe", loc = "tests/program_v1_test.go:158", n_tokens = 1 : i64, signature = "aad159d1ea55252f", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.add %iterArg, %c_9 : tensor<i32>
      stablehlo.return %12, %10#0, %11, %10#2 : tensor<i32>, tensor<4xf32>, tensor<1xi8>, tensor<1xi8>
    }
    %4 = stablehlo.custom_call @calliope_io_callback(%arg2, %3#2) {api_version = 4 : i32, backend_config = {callback = "condition", form = "observe", loc = "tests/program_v1_test.go:163", n_tokens = 1 : i64, signature = "aad159d1ea55252f", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
    %c_3 = stablehlo.constant dense<3> : tensor<i32>
    %5 = stablehlo.compare  LT, %arg2, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6:4 = stablehlo.while(%iterArg = %arg2, %iterArg_6 = %3#1, %iterArg_7 = %5, %iterArg_8 = %4) : tensor<i32>, tensor<4xf32>, tensor<i1>, tensor<1xi8>
     cond {
      stablehlo.return %iterArg_7 : tensor<i1>
    } do {
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %iterArg, %c_9 : tensor<i32>
      %11 = stablehlo.add %iterArg_6, %iterArg_6 : tensor<4xf32>
      %12 = stablehlo.custom_call @calliope_io_callback(%10, %iterArg_8) {api_version = 4 : i32, backend_config = {callback = "condition", form = "observe", loc = "tests/program_v1_test.go:163", n_tokens = 1 : i64, signature = "aad159d1ea55252f", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
      %c_10 = stablehlo.constant dense<3> : tensor<i32>
      %13 = stablehlo.compare  LT, %10, %c_10,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10, %11, %13, %12 : tensor<i32>, tensor<4xf32>, tensor<i1>, tensor<1xi8>
    }
    %c_4 = stablehlo.constant dense<3> : tensor<i32>
    %7 = stablehlo.compare  EQ, %6#0, %c_4,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = "stablehlo.if"(%7) ({
      %10 = stablehlo.custom_call @calliope_io_callback(%6#1, %6#3) {api_version = 4 : i32, backend_config = {callback = "tap if", form = "observe", loc = "tests/program_v1_test.go:168", n_tokens = 1 : i64, signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
      stablehlo.return %10 : tensor<1xi8>
    }, {
      stablehlo.return %6#3 : tensor<1xi8>
    }) : (tensor<i1>) -> tensor<1xi8>
    %c_5 = stablehlo.constant dense<3> : tensor<i32>
    %9 = stablehlo.compare  EQ, %6#0, %c_5,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.if"(%9) ({
      stablehlo.return 
    }, {
      stablehlo.custom_call @calliope_runtime_call(%6#1) {api_version = 4 : i32, backend_config = {callback = "check", form = "call", loc = "tests/program_v1_test.go:169", signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true} : (tensor<4xf32>) -> ()
      stablehlo.return 
    }) : (tensor<i1>) -> ()
    return %6#1, %6#0 : tensor<4xf32>, tensor<i32>
  }
}
