module @words {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.custom_call @exla_runtime_callback(%arg0) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 7166076929634758019, 6646881>, callback_id_size = 11 : ui64, callback_server_pid = array<i64: 962881904>, callback_server_pid_size = 4 : ui64}, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @exla_runtime_callback(%0) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 4050765991979987505>, callback_id_size = 8 : ui64}, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @exla_runtime_callback(%1) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 49>, callback_id_size = 1 : ui64}} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.custom_call @exla_io_callback(%2) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 7166076929634758019, 6646881>, callback_id_size = 11 : ui64, callback_server_pid = array<i64: 962881904>, callback_server_pid_size = 4 : ui64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    %4 = stablehlo.negate %3 : tensor<4xf32>
    %5:2 = stablehlo.custom_call @exla_io_callback(%3, %4) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 7166076929634758019, 8746588843435977825, 7562612>, callback_id_size = 19 : ui64, callback_server_pid = array<i64: 4050765991979987505>, callback_server_pid_size = 8 : ui64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %5#0, %5#1 : tensor<4xf32>, tensor<4xf32>
  }
}
