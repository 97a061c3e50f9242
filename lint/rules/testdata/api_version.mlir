func.func @main(%x: tensor<4xf32>, %id: tensor<i64>) {
  stablehlo.custom_call @calliope_io_callback(%x) {api_version = 2 : i32, backend_config = "log", has_side_effect = true} : (tensor<4xf32>) -> () // want "^warning: the target @calliope_io_callback has a handler of XLA's typed FFI, but the call has the API version 2: .* .api-version.$" fix "^none$"
  %0 = stablehlo.custom_call @exla_elixir_callback(%x, %id) : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32> // want "but the call has the API version 1: " "callback-binding"
  // Typed, in both spellings.
  stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "observe", callback = "f"}, has_side_effect = true} : (tensor<4xf32>) -> ()
  stablehlo.custom_call @calliope_io_callback(%x) {backend_config = "", mhlo.backend_config = {v = 1 : i64, form = "observe", callback = "f"}, has_side_effect = true} : (tensor<4xf32>) -> () // want "jax-spelling"
  return
}
