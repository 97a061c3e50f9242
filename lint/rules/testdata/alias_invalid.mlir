#0 = #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>
#1 = #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>
#00 = #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>
#10 = #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>
#11 = #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %x = stablehlo.cosine %a : tensor<2x3xf32>
  %y = stablehlo.cosine %b : tensor<2x3xf32>
  %0 = stablehlo.custom_call @two_operands(%x, %y) {api_version = 4 : i32, output_operand_aliases = [#0, #1]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> // want "^error: alias 1 of the call of @two_operands .output .., operand 1 ...: alias 0 uses this result already.* .alias-invalid.$" fix "^none$"
  %1:2 = stablehlo.custom_call @two_results(%x, %y) {api_version = 4 : i32, output_operand_aliases = [#00, #10]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) // want "alias 0 uses this operand already"
  %2 = stablehlo.custom_call @layouts(%x) {api_version = 4 : i32, output_operand_aliases = [#0], operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32> // want "the operand's layout is .0 1. and the result's .1 0."
  %3:2 = stablehlo.custom_call @good(%x, %y) {api_version = 4 : i32, output_operand_aliases = [#00, #11], has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) // want "alias-copies" "alias-copies"
  return
}
