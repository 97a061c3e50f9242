// The library refuses these itself. The rule says why.
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  %0 = stablehlo.custom_call @f(%a, %b) {api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32> // want "^error: alias 0 of the call of @f .*the operand is tensor<2xf32> and the result tensor<2x3xf32>: .* .alias-invalid.$"
  return
}
