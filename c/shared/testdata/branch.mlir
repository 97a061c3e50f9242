module @branch {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %p = stablehlo.compare GT, %y, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %q = stablehlo.slice %p [0:1] : (tensor<4xi1>) -> tensor<1xi1>
  %r = stablehlo.reshape %q : (tensor<1xi1>) -> tensor<i1>
  %b = "stablehlo.if"(%r) ({
    %c = stablehlo.custom_call @calliope_io_callback(%y) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {v = 1 : i64, form = "passthrough", callback = "f"},
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
    } : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %c : tensor<4xf32>
  }, {
    %n = stablehlo.negate %y : tensor<4xf32>
    stablehlo.return %n : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
}
