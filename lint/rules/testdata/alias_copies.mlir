#0 = #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>
func.func @main(%a: tensor<4xf32>, %e: tensor<4xf32>, %g: tensor<4xf32>, %d: tensor<4xf32> {jax.buffer_donor = true}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, has_side_effect = true, output_operand_aliases = [#0]} : (tensor<4xf32>) -> tensor<4xf32> // want "^note: operand 0 of the call of @f shares memory with a result, but it is copied: argument 0 of .main. is not donated: .* .alias-copies.$" fix "^none$"
  %1 = stablehlo.custom_call @f(%d) {api_version = 4 : i32, has_side_effect = true, output_operand_aliases = [#0]} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = func.call @callee(%g) : (tensor<4xf32>) -> tensor<4xf32>
  %x = stablehlo.cosine %e : tensor<4xf32>
  %3 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, has_side_effect = true, output_operand_aliases = [#0]} : (tensor<4xf32>) -> tensor<4xf32> // want "stablehlo.sine at testdata/alias_copies.mlir:8:8 also uses the operand"
  %4 = stablehlo.sine %x : tensor<4xf32>
  return %3, %4 : tensor<4xf32>, tensor<4xf32>
}
func.func private @callee(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, has_side_effect = true, output_operand_aliases = [#0]} : (tensor<4xf32>) -> tensor<4xf32> // want "in the call at testdata/alias_copies.mlir:5:8: "
  return %0 : tensor<4xf32>
}
