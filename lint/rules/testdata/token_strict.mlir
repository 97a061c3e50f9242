// strict

// What may be intended is an error.
func.func @main(%x: tensor<f32>) {
  %t = stablehlo.create_token : !stablehlo.token // want "^error: stablehlo.create_token creates a token: order calls by values .* .create-token.$" fix "^none$"
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  %1 = stablehlo.after_all %0 : !stablehlo.token // want "^error: stablehlo.after_all joins tokens: .* .after-all.$" fix "^none$"
  %2 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback_id = 3 : i64}} : (tensor<f32>) -> tensor<f32> // want "^error: the callback of @calliope_runtime_call is bound by its id 3, .* .callback-binding.$" fix "^none$"
  return
}
