func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @scale(%x) {api_version = 2 : i32, backend_config = "3.0"} : (tensor<4xf32>) -> tensor<4xf32> // bad
  return %0 : tensor<4xf32>
}
// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @scale(%x) {api_version = 4 : i32, backend_config = {by = 3.0 : f32}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
