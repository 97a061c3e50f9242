module {
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %1 = stablehlo.custom_call @calliope_io_callback(%0) {api_version = 4 : i32, backend_config = {callback = "see", form = "observe", loc = "model.py:7", optional = true, signature = "b46454cf33e73210", v = 1 : i64}, has_side_effect = true} : (tensor<4xf32>) -> tensor<1xi8>
    return %0 : tensor<4xf32>
  }
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>, %arg2: tensor<i1>) -> tensor<4xf32> {
    %0 = call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %0) : tensor<i32>, tensor<4xf32>
     cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.compare  LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c : tensor<i32>
      %4 = func.call @f(%iterArg_0) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %3, %4 : tensor<i32>, tensor<4xf32>
    }
    %2 = "stablehlo.if"(%arg2) ({
      %3 = stablehlo.multiply %1#1, %arg0 : tensor<4xf32>
      stablehlo.return %3 : tensor<4xf32>
    }, {
      stablehlo.return %1#1 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
