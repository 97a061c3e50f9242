module @operand_order {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<1xi8>) -> (tensor<4xf32>, tensor<i32>) {
    %0 = stablehlo.custom_call @calliope_io_callback(%arg0, %arg1, %arg2, %arg3) {api_version = 4 : i32, backend_config = {callback = "see", effect = "e", form = "observe", n_ids = 2 : i64, n_tokens = 1 : i64, signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true} : (tensor<4xf32>, tensor<i32>, tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
    %1:2 = stablehlo.custom_call @calliope_runtime_call(%arg0, %arg1, %0) {api_version = 4 : i32, backend_config = {callback = "call", effect = "e", form = "call", n_ids = 1 : i64, n_tokens = 1 : i64, signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true} : (tensor<4xf32>, tensor<i32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
    %2 = stablehlo.custom_call @calliope_runtime_call(%1#0, %arg2, %arg1) {api_version = 4 : i32, backend_config = {callback = "pure", form = "pure", n_ids = 2 : i64, v = 1 : i64}} : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3:4 = stablehlo.custom_call @calliope_io_callback(%1#0, %2, %1#1, %arg3) {api_version = 4 : i32, backend_config = {callback = "pass", form = "passthrough", n_ids = 1 : i64, n_tokens = 2 : i64, signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true} : (tensor<4xf32>, tensor<i32>, tensor<1xi8>, tensor<1xi8>) -> (tensor<4xf32>, tensor<i32>, tensor<1xi8>, tensor<1xi8>)
    return %3#0, %3#1 : tensor<4xf32>, tensor<i32>
  }
}
