module @overlap {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @calliope_runtime_call(%arg0) {api_version = 4 : i32, backend_config = {callback = "a", form = "call", loc = "tests/program_v1_test.go:287", signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @calliope_runtime_call(%arg0) {api_version = 4 : i32, backend_config = {callback = "b", form = "call", loc = "tests/program_v1_test.go:288", signature = "9234043154f3a2ea", v = 1 : i64}, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.add %0, %1 : tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<1024xi8>
    stablehlo.custom_call @calliope_io_callback(%c) {api_version = 4 : i32, backend_config = {callback = "calliope.overlap", form = "observe", optional = true, v = 1 : i64}, has_side_effect = true} : (tensor<1024xi8>) -> ()
    stablehlo.custom_call @calliope_io_callback(%c) {api_version = 4 : i32, backend_config = {callback = "calliope.overlap", form = "observe", optional = true, v = 1 : i64}, has_side_effect = true} : (tensor<1024xi8>) -> ()
    stablehlo.custom_call @calliope_io_callback(%c) {api_version = 4 : i32, backend_config = {callback = "calliope.overlap", form = "observe", optional = true, v = 1 : i64}, has_side_effect = true} : (tensor<1024xi8>) -> ()
    stablehlo.custom_call @calliope_io_callback(%c) {api_version = 4 : i32, backend_config = {callback = "calliope.overlap", form = "observe", optional = true, v = 1 : i64}, has_side_effect = true} : (tensor<1024xi8>) -> ()
    stablehlo.custom_call @calliope_io_callback(%c) {api_version = 4 : i32, backend_config = {callback = "calliope.overlap", form = "observe", optional = true, v = 1 : i64}, has_side_effect = true} : (tensor<1024xi8>) -> ()
    stablehlo.custom_call @calliope_io_callback(%c) {api_version = 4 : i32, backend_config = {callback = "calliope.overlap", form = "observe", optional = true, v = 1 : i64}, has_side_effect = true} : (tensor<1024xi8>) -> ()
    stablehlo.custom_call @calliope_io_callback(%c, %0, %1) {api_version = 4 : i32, backend_config = {callback = "calliope.overlap", form = "observe", optional = true, v = 1 : i64}, has_side_effect = true} : (tensor<1024xi8>, tensor<4xf32>, tensor<4xf32>) -> ()
    return %2 : tensor<4xf32>
  }
}
