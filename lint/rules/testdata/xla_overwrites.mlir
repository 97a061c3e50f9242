#0 = #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = "stablehlo.if"(%p) ({
    %2 = stablehlo.custom_call @f(%0) {api_version = 4 : i32, has_side_effect = true, output_operand_aliases = [#0]} : (tensor<4xf32>) -> tensor<4xf32> // want "^warning: the call may write to the memory of operand 0, which a computation around its branch returns, and XLA then returns what was written: a program that gives the module to XLA itself, and not through Calliope, has to prepare it before .xla-overwrites.$" fix "^prepare$"
    stablehlo.return %2 : tensor<4xf32>
  }, {
    stablehlo.return %0 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
