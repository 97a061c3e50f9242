func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mhlo.custom_call @f(%x) {api_version = 2 : i32, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32> // want "callbacks/legacy can serve the call of @f, of API version 2" fix "^replace$"
  return %0 : tensor<4xf32>
}
