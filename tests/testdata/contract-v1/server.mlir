module @server {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.custom_call @exla_runtime_callback(%arg1, %arg0) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 7166076929634758019, 6646881>, callback_id_size = 11 : ui64, num_aliased_data_outputs = 0 : ui64}, has_side_effect = true} : (tensor<4xui8>, tensor<4xf32>) -> tensor<4xf32>
    %c = stablehlo.constant dense<[112, 105, 100, 50]> : tensor<4xui8>
    %1 = stablehlo.custom_call @exla_runtime_callback(%c, %0) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 7166076929634758019, 6646881>, callback_id_size = 11 : ui64, num_aliased_data_outputs = 0 : ui64}, has_side_effect = true} : (tensor<4xui8>, tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @exla_runtime_callback(%arg1, %1) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 7166076929634758019, 6646881>, callback_id_size = 11 : ui64, num_aliased_data_outputs = 1 : ui64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xui8>, tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.negate %2 : tensor<4xf32>
    %4:2 = stablehlo.custom_call @exla_runtime_callback(%arg1, %2, %3) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 7166076929634758019, 6646881>, callback_id_size = 11 : ui64, num_aliased_data_outputs = 2 : ui64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 2, operand_tuple_indices = []>]} : (tensor<4xui8>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %4#0, %4#1 : tensor<4xf32>, tensor<4xf32>
  }
}
