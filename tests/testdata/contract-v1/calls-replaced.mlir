module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i32>) {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %1:2 = stablehlo.custom_call @calliope_io_callback(%0, %arg1) {api_version = 4 : i32, backend_config = {callback = "replaced aliased", form = "passthrough", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
    %2 = stablehlo.custom_call @calliope_io_callback(%1#0) {api_version = 4 : i32, backend_config = {callback = "replaced alike", form = "passthrough", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    %3:2 = stablehlo.custom_call @calliope_runtime_call(%2) {api_version = 4 : i32, backend_config = {callback = "replaced unlike", form = "call", v = 1 : i64}, has_side_effect = true} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
    stablehlo.custom_call @calliope_runtime_call(%3#0) {api_version = 4 : i32, backend_config = {callback = "replaced nothing", form = "call", v = 1 : i64}, has_side_effect = true} : (tensor<4xf32>) -> ()
    return %2, %3#0, %3#1 : tensor<4xf32>, tensor<4xf32>, tensor<i32>
  }
}
