func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32> // want "^error: operand_layouts of the call of @calliope_runtime_call gives operand 0, tensor<2x3xf32>, the layout \\[0 1\\].*: leave the layouts out, or transpose in the module \\[layouts\\]$"
  %1 = stablehlo.custom_call @exla_runtime_callback(%0) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 7>, callback_id_size = 2 : ui64}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32> // want "result_layouts of the call of @exla_runtime_callback gives result 0, tensor<2x3xf32>, the layout \\[0 1\\]"
  %2 = stablehlo.custom_call @other_name(%1) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32> // want "@other_name"
  // Row-major, or the same: a dimension of 1 may be anywhere.
  %3 = stablehlo.custom_call @calliope_runtime_call(%2, %b) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  // The handler of another target may support layouts.
  %4 = stablehlo.custom_call @lapack(%3) {api_version = 4 : i32, backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}
