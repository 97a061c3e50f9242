module @pure {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @calliope_runtime_call(%arg0) {api_version = 4 : i32, backend_config = {callback = "pure", form = "pure", loc = "tests/program_v1_test.go:77", signature = "9234043154f3a2ea", v = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @calliope_runtime_call(%arg0) {api_version = 4 : i32, backend_config = {callback = "unused", form = "pure", loc = "tests/program_v1_test.go:78", signature = "9234043154f3a2ea", v = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.add %0, %arg0 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
