// known: scale other

func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.custom_call @scale(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @scael(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "^note: the target .scael. is not known .is it .scale...: .* .unknown-target.$" fix "^none$"
  %2 = stablehlo.custom_call @entirely_different(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "^note: the target .entirely_different. is not known: "
  %5 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {api_version = 4 : i32, backend_config = {index = 0 : ui64}} : (tensor<4xf32>) -> tensor<4xf32> // want "callback-binding"
  %6 = stablehlo.custom_call @xla_ffi_python_cpu_callbacks(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "is it .xla_ffi_python_cpu_callback.*unknown-target"
  %3 = stablehlo.custom_call @Qr(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f"}} : (tensor<4xf32>) -> tensor<4xf32>
  %7 = stablehlo.custom_call @lapack_sgeqrf_ffi(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
