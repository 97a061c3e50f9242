func.func @main(%x: tensor<4xf32>, %s: tensor<3xui8>) {
  stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "observe", callback = "log"}} : (tensor<4xf32>) -> () // want "^error: callback .log. is made for its effect, .* .side-effect.$" fix "^set has_side_effect = true$"
  %0 = stablehlo.custom_call @calliope_runtime_call(%x) {has_side_effect = false, backend_config = "", mhlo.backend_config = {v = 1 : i64, form = "call", callback = "f"}} : (tensor<4xf32>) -> tensor<4xf32> // want "^error: callback .f. .*side-effect" fix "^set has_side_effect = true$" "jax-spelling"
  %1 = stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "passthrough", callback = "p"}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32> // want "^error: callback .p. .*side-effect" fix "set" "alias-copies"
  %2 = stablehlo.custom_call @exla_io_callback(%x) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 97>, callback_id_size = 1 : ui64}} : (tensor<4xf32>) -> tensor<4xf32> // want "^error: the callback of @exla_io_callback .*side-effect" fix "set" "callback-binding" "alias-missing"
  %3 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "pure", callback = "g"}} : (tensor<4xf32>) -> tensor<4xf32> // want "^note: callback .g. is pure, .* .side-effect.$" fix "^none$"
  stablehlo.custom_call @foreign(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> () // want "^note: the call of @foreign has no results and no side effect, .* .side-effect.$" fix "^none$"
  // In the encodings of EXLA, such a call is pure.
  %4 = stablehlo.custom_call @exla_runtime_callback(%s, %x) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 97>, callback_id_size = 1 : ui64, num_aliased_data_outputs = 0 : ui64}} : (tensor<3xui8>, tensor<4xf32>) -> tensor<4xf32> // want "callback-binding"
  %5 = stablehlo.custom_call @foreign(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "g"}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
