func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) {
  func.call @twice(%x) : (tensor<4xf32>) -> ()
  %0 = stablehlo.while(%q = %p) : tensor<i1> cond {
    stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "f"}} : (tensor<4xf32>) -> () // want "^note: callback .f. runs in each iteration of the loop at .*callback_in_loop.mlir:3:8, .* .callback-in-loop.$" fix "^none$"
    stablehlo.return %q : tensor<i1>
  } do {
    "stablehlo.if"(%q) ({
      stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {backend_config = "", mhlo.backend_config = {index = 2 : ui64}, has_side_effect = true} : (tensor<4xf32>) -> () // want "^note: the callback of @xla_ffi_python_cpu_callback runs in each iteration" "jax-spelling" "callback-binding"
      func.call @twice(%x) : (tensor<4xf32>) -> ()
      stablehlo.return
    }, {
      stablehlo.return
    }) : (tensor<i1>) -> ()
    %1 = stablehlo.custom_call @lapack(%q) {api_version = 4 : i32} : (tensor<i1>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }
  stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "f"}} : (tensor<4xf32>) -> ()
  return
}
func.func private @twice(%x: tensor<4xf32>) {
  func.call @once(%x) : (tensor<4xf32>) -> ()
  return
}
func.func private @once(%x: tensor<4xf32>) {
  stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "g"}} : (tensor<4xf32>) -> () // want "callback .g. runs in each iteration of the loop at .*callback_in_loop.mlir:3:8"
  return
}
