// Calls with a token are ordered by it.
module {
  func.func @chain(%x: tensor<f32>, %t: tensor<1xi8>) {
    %0 = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "log", n_tokens = 1 : i64}} : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    %1 = stablehlo.custom_call @calliope_io_callback(%x, %0) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "log", n_tokens = 1 : i64}} : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    return
  }
  func.func @cut(%x: tensor<f32>, %t: tensor<1xi8>) {
    %0 = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "log", n_tokens = 1 : i64}} : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    %1 = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "warn", n_tokens = 1 : i64}} : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8> // want "^warning: callback \"warn\" does not depend on callback \"log\" at testdata/unordered_effects.mlir:9:10, which is before it \\(a token and no effect\\): it may run before it, or at the same time: pass a token from one to the other \\[unordered-effects\\]$"
    return
  }
  // The loop does not carry the token.
  func.func @loop(%p: tensor<i1>, %t: tensor<1xi8>) {
    %0 = stablehlo.while(%q = %p) : tensor<i1> cond { // want "constant-condition"
      stablehlo.return %q : tensor<i1>
    } do {
      %1 = stablehlo.custom_call @calliope_io_callback(%t) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "log", effect = "file", n_tokens = 1 : i64}} : (tensor<1xi8>) -> tensor<1xi8> // want "does not depend on itself in the iteration before \\(effect \"file\"\\)" "^note: .* .callback-in-loop.$"
      stablehlo.return %q : tensor<i1>
    }
    return
  }
  // The tokens of two effects of JAX, and calls without a token, which are unordered on purpose.
  func.func @jax(%t: !stablehlo.token, %u: !stablehlo.token, %x: tensor<f32>) { // want "^note: .* .token-value.$"
    %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%t, %x) {has_side_effect = true} : (!stablehlo.token, tensor<f32>) -> !stablehlo.token // want "^note: .* .callback-binding.$" "^warning: .* .and 3 further calls. .legacy-custom-call.$"
    %1 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%u, %x) {has_side_effect = true} : (!stablehlo.token, tensor<f32>) -> !stablehlo.token // want "^note: .* .callback-binding.$"
    stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {has_side_effect = true} : (tensor<f32>) -> () // want "^note: .* .callback-binding.$"
    stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {has_side_effect = true} : (tensor<f32>) -> () // want "^note: .* .callback-binding.$"
    return
  }
  // One call of a function has a token and the other none.
  func.func @loose(%x: tensor<f32>, %t: tensor<1xi8>) {
    %0 = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "audit", n_tokens = 1 : i64}} : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "audit"}} : (tensor<f32>) -> () // want "^note: this call of callback \"audit\" may run at any time, though the one at testdata/unordered_effects.mlir:33:10 is in an order: give both a token of one chain, or one effect, if their order matters \\[unordered-effects\\]$"
    return
  }
}
