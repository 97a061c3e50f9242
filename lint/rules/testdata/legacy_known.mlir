// known: served
#0 = #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>
func.func @main(%x: tensor<4xf32>, %y: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.custom_call @served(%x) {api_version = 2 : i32, backend_config = "a"} : (tensor<4xf32>) -> tensor<4xf32> // want "legacy-adapter"
  %1 = stablehlo.custom_call @lapack_spotrf_ffi(%y) {api_version = 4 : i32, output_operand_aliases = [#0]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.custom_call @lapack_spotrf(%1) {api_version = 2 : i32} : (tensor<4x4xf32>) -> tensor<4x4xf32> // want "legacy-adapter" "export the program with a newer JAX, which writes typed calls .legacy-custom-call.$" "unknown-target"
  return %0, %2 : tensor<4xf32>, tensor<4x4xf32>
}
