func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  stablehlo.custom_call @f(%x) {has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}
