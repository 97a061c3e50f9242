func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {callback = "log", form = "observe", v = 1 : i64}} : (tensor<4xf32>) -> () // bad
  return %x : tensor<4xf32>
}
// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {callback = "log", form = "observe", v = 1 : i64}} : (tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}
