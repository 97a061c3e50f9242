module {
  func.func @keys(%x: tensor<4xf32>, %t: tensor<1xi8>) {
    %0 = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "f", n_tokens = 1 : i32}} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8> // want "^error: the call of @calliope_io_callback: .*n_tokens.* is an i64.* .backend-config.$" fix "^none$"
    %1 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure"}} : (tensor<4xf32>) -> tensor<4xf32> // want "^error: .*needs a name"
    %2 = stablehlo.custom_call @calliope_runtime_call(%x) {backend_config = "", mhlo.backend_config = {v = 9 : i64, form = "pure", callback = "f"}} : (tensor<4xf32>) -> tensor<4xf32> // want "^error: .*needs version 9" "jax-spelling"
    %3 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32> // want "^error: .*a tensor<i64>, but it is tensor<4xf32>" "callback-binding"
    %4 = stablehlo.custom_call @mine(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f", colour = "red"}} : (tensor<4xf32>) -> tensor<4xf32> // want "^error: the call of @mine: .*unknown key .colour"
    return
  }
  func.func @operands(%x: tensor<4xf32>, %t: tensor<1xi8>, %s: tensor<3xui8>) {
    %0 = stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "f", n_ids = 1 : i64, n_tokens = 1 : i64}} : (tensor<4xf32>) -> tensor<1xi8> // want "^error: .*1 ids and 1 tokens, but has only 1 operands"
    %1 = stablehlo.custom_call @calliope_io_callback(%x, %x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "passthrough", callback = "f"}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> // want "^error: .*it has 2 operands and 1 results" "unordered-effects"
    %2 = stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "passthrough", callback = "f"}} : (tensor<4xf32>) -> tensor<4xi32> // want "^error: .*operand 0 is tensor<4xf32> and its result is tensor<4xi32>" "unordered-effects"
    stablehlo.custom_call @calliope_runtime_call(%x, %t) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "call", callback = "f", n_tokens = 1 : i64}} : (tensor<4xf32>, tensor<1xi8>) -> () // want "^error: .*has 0 results, fewer than its 1 tokens" "unordered-effects"
    %4 = stablehlo.custom_call @exla_runtime_callback(%x, %s) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 97>, callback_id_size = 1 : ui64, num_aliased_data_outputs = 0 : ui64}} : (tensor<4xf32>, tensor<3xui8>) -> tensor<4xf32> // want "^error: .*a tensor<Nxui8>, but it is tensor<4xf32>" "callback-binding"
    %5 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f", signature = "0000000000000000"}} : (tensor<4xf32>) -> tensor<4xf32> // want "^error: .*is called with f32.4.->f32.4., whose hash is [0-9a-f]{16}, but its signature is 0000000000000000"
    return
  }
  func.func @others(%x: tensor<4xf32>) {
    %0 = stablehlo.custom_call @a(%x) {backend_config = "text", mhlo.backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32> // want "^note: the call of @a has both backend_config and mhlo.backend_config: .* .backend-config.$" "legacy-custom-call" "legacy-adapter"
    %1 = stablehlo.custom_call @b(%x) {api_version = 4 : i32, mhlo.backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32> // want "^note: the call of @b has the API version 4 and mhlo.backend_config, "
    %2 = stablehlo.custom_call @c(%x) {api_version = 2 : i32, mhlo.backend_config = "text"} : (tensor<4xf32>) -> tensor<4xf32> // want "^note: mhlo.backend_config of the call of @c is .*, and not a dictionary" "legacy-custom-call" "legacy-adapter"
    %3 = stablehlo.custom_call @d(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    %4 = stablehlo.custom_call @e(%x) {mhlo.backend_config = "text"} : (tensor<4xf32>) -> tensor<4xf32> // want "not a dictionary, so the call is typed and has no attributes" "jax-spelling" fix "^set api_version = 4 : i32; set backend_config = ..; remove mhlo.backend_config$"
    return
  }
  func.func @good(%x: tensor<4xf32>, %d: tensor<?xf32>, %t: tensor<1xi8>, %id: tensor<i64>) {
    %0 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f", signature = "9234043154f3a2ea"}} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @calliope_runtime_call(%d) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f", signature = "0000000000000000"}} : (tensor<?xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @exla_elixir_callback(%x, %id) {api_version = 4 : i32} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32> // want "callback-binding"
    return
  }
}
