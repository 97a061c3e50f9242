func.func @main(%x: tensor<4xf32>, %p: tensor<i64>) {
  %0 = stablehlo.custom_call @zero(%x) {api_version = 0 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "^warning: the call of @zero states no API version \\(0\\): register a handler .* .legacy-custom-call.$" fix "^none$" "legacy-adapter"
  %1 = stablehlo.custom_call @one(%x) : (tensor<4xf32>) -> tensor<4xf32> // want "^warning: the call of @one is of API version 1, whose handler gets bare pointers and cannot report errors: register" "legacy-adapter"
  %2 = stablehlo.custom_call @two(%x) {api_version = 2 : i32, backend_config = "3.0"} : (tensor<4xf32>) -> tensor<4xf32> // want "is of API version 2, .* without shapes and types: register" "legacy-adapter"
  %3 = stablehlo.custom_call @three(%x) {api_version = 3 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "is of API version 3," "legacy-adapter"
  %4 = stablehlo.custom_call @xla_python_cpu_callback(%p, %x) {api_version = 2 : i32, backend_config = "94356637365664"} : (tensor<i64>, tensor<4xf32>) -> tuple<tensor<4xf32>> // want "is of API version 2, .*: export the program with a newer JAX, which writes typed calls" "callback-binding"
  // One finding for each target and version.
  %many0 = stablehlo.custom_call @many(%x) {api_version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-adapter" "the call of @many is of API version 2, .* backend_config .and 2 further calls. .legacy-custom-call.$"
  %many1 = stablehlo.custom_call @many(%x) {api_version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-adapter"
  %many2 = stablehlo.custom_call @many(%x) {api_version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-adapter" "the call of @many is of API version 1,"
  %many3 = stablehlo.custom_call @many(%x) {api_version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-adapter"
  %jax0 = stablehlo.custom_call @hipsolver_syevd(%x) {api_version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-adapter" "export the program with a newer JAX, which writes typed calls .and one further call. .legacy"
  %jax1 = stablehlo.custom_call @hipsolver_syevd(%x) {api_version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-adapter"
  %jax2 = stablehlo.custom_call @triton_kernel_call(%x) {api_version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-adapter" "a newer JAX"
  // What compilers replace.
  %dot = stablehlo.custom_call @mine.softmax(%x) {api_version = 0 : i32} : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-adapter"
  %lu = stablehlo.custom_call @LuDecomposition(%x) : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-adapter"
  // Typed, in both spellings, and served by XLA itself.
  %5 = stablehlo.custom_call @typed(%x) {api_version = 4 : i32, backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = stablehlo.custom_call @typed(%x) {backend_config = "", mhlo.backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32> // want "jax-spelling"
  %7 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
  %gathered = stablehlo.custom_call @"all-gather-start"(%x) : (tensor<4xf32>) -> tensor<8xf32>
  // Of StableHLO's test data.
  stablehlo.custom_call @check.expect_eq(%x, %7) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %8 = stablehlo.custom_call @Qr(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
