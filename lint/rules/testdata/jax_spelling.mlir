func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.custom_call @f(%x) {backend_config = "", mhlo.backend_config = {alpha = 2.5 : f32, dims = dense<[3, 4]> : tensor<2xi64>, name = "a"}} : (tensor<4xf32>) -> tensor<4xf32> // want "^note: the typed call of @f is spelled as version 1 .* .jax-spelling.$" fix "^set api_version = 4 : i32; set backend_config = .alpha = 2.5.*00 : f32, dims = dense<.3, 4.> : tensor<2xi64>, name = .a..; remove mhlo.backend_config$"
  %1 = stablehlo.custom_call @f(%x) {mhlo.backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32> // want "jax-spelling" fix "^set api_version = 4 : i32; set backend_config = ..; remove mhlo.backend_config$"
  %2 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
