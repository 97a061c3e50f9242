module @described {
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  stablehlo.custom_call @calliope_io_callback(%y) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "observe", callback = "f"}} : (tensor<4xf32>) -> ()
  %z = stablehlo.custom_call @calliope_io_callback(%y) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "passthrough", callback = "f"},
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
  } : (tensor<4xf32>) -> tensor<4xf32>
  %unused = stablehlo.custom_call @calliope_runtime_call(%z) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "call", callback = "f"}} : (tensor<4xf32>) -> tensor<4xf32>
  %dropped = stablehlo.custom_call @calliope_runtime_call(%z) {api_version = 4 : i32, has_side_effect = false,
    backend_config = {v = 1 : i64, form = "pure", callback = "f"}} : (tensor<4xf32>) -> tensor<4xf32>
  %w = stablehlo.multiply %z, %y : tensor<4xf32>
  return %z, %w : tensor<4xf32>, tensor<4xf32>
}
}
