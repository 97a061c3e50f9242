func.func @main(%x: tensor<4xf32>, %m: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @zero(%x) {api_version = 0 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-custom-call" "^note: callbacks/legacy can serve the call of @zero, of API version 0: register the function \"zero\" with the signature void f\\(void. out, const void.. in\\), or void f\\(CUstream stream, void.. buffers, const char. opaque, size_t opaque_len\\) .legacy-adapter.$" fix "^replace$"
  %1:2 = stablehlo.custom_call @two(%x) {api_version = 2 : i32, backend_config = "a"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) // want "legacy-custom-call" "void f\\(void. out, const void.. in, XlaCustomCallStatus. status\\), or void f\\(CUstream" fix "^replace$"
  %2 = stablehlo.custom_call @three(%x) {api_version = 3 : i32} : (tensor<4xf32>) -> tuple<tensor<4xf32>> // want "legacy-custom-call" "const char. opaque, size_t opaque_len, XlaCustomCallStatus. status\\), or void f\\(CUstream" fix "^replace$"
  %3 = stablehlo.custom_call @layout(%m) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32> // want "legacy-custom-call" "-fix-unsafe cannot replace the call: operand_layouts .*transpose in the module. .legacy-adapter.$" fix "^none$"
  // Typed, of XLA, and of JAX.
  %4 = stablehlo.custom_call @typed(%x) {api_version = 4 : i32, backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = stablehlo.custom_call @xla_python_cpu_callback(%x) {api_version = 2 : i32, backend_config = "94356637365664"} : (tensor<4xf32>) -> tuple<tensor<4xf32>> // want "legacy-custom-call" "callback-binding"
  return
}
