func.func @main(%x: tensor<4xf32>, %s: tensor<3xui8>, %id: tensor<i64>) {
  %0 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback_id = 3 : i64}} : (tensor<4xf32>) -> tensor<4xf32> // want "^note: the callback of @calliope_runtime_call is bound by its id 3, .* .callback-binding.$" fix "^none$"
  %1 = stablehlo.custom_call @exla_runtime_callback(%x) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 97>, callback_id_size = 1 : ui64}} : (tensor<4xf32>) -> tensor<4xf32> // want "is bound by an id, "
  %2 = stablehlo.custom_call @exla_runtime_callback(%s, %x) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 97>, callback_id_size = 1 : ui64, num_aliased_data_outputs = 0 : ui64}} : (tensor<3xui8>, tensor<4xf32>) -> tensor<4xf32> // want "is bound by an id of a server, "
  %3 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {backend_config = "", mhlo.backend_config = {index = 2 : ui64}} : (tensor<4xf32>) -> tensor<4xf32> // want "is bound by the index of a Python function, " "jax-spelling"
  %4 = stablehlo.custom_call @xla_python_cpu_callback(%id, %x) {api_version = 2 : i32, backend_config = "94356637365664"} : (tensor<i64>, tensor<4xf32>) -> tuple<tensor<4xf32>> // want "is bound by the address of a Python function, " "legacy-custom-call"
  %5 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f"}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
