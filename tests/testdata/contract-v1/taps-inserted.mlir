module {
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>, %arg2: tensor<i1>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0 = call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1:3 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %0, %iterArg_1 = %c) : tensor<i32>, tensor<4xf32>, tensor<1xi8>
     cond {
      %c_2 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.compare  LT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %6 = stablehlo.custom_call @calliope_io_callback(%5, %iterArg_1) {api_version = 4 : i32, backend_config = {callback = "see", effect = "io", form = "observe", loc = "-:14", n_tokens = 1 : i64, signature = "aad159d1ea55252f", transforms = "none", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
      %7 = func.call @f(%iterArg_0) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %5, %7, %6 : tensor<i32>, tensor<4xf32>, tensor<1xi8>
    }
    %2 = stablehlo.custom_call @calliope_io_callback(%1#0, %1#2) {api_version = 4 : i32, backend_config = {callback = "see", effect = "io", form = "observe", loc = "-:8", n_tokens = 1 : i64, signature = "aad159d1ea55252f", transforms = "none", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
    %3 = stablehlo.custom_call @calliope_io_callback(%1#1, %2) {api_version = 4 : i32, backend_config = {callback = "see", effect = "io", form = "observe", loc = "-:8", n_tokens = 1 : i64, signature = "b46454cf33e73210", transforms = "none", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    %4:2 = "stablehlo.if"(%arg2) ({
      %5 = stablehlo.multiply %1#1, %arg0 : tensor<4xf32>
      %6 = stablehlo.custom_call @calliope_io_callback(%5, %3) {api_version = 4 : i32, backend_config = {callback = "see", effect = "io", form = "observe", loc = "-:19", n_tokens = 1 : i64, signature = "b46454cf33e73210", transforms = "none", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
      stablehlo.return %5, %6 : tensor<4xf32>, tensor<1xi8>
    }, {
      stablehlo.return %1#1, %3 : tensor<4xf32>, tensor<1xi8>
    }) : (tensor<i1>) -> (tensor<4xf32>, tensor<1xi8>)
    return %4#0 : tensor<4xf32>
  }
}
