// No flag 0 ends the program.
func.func @main(%x: tensor<4xf32>) {
  %t = stablehlo.create_token : !stablehlo.token // want "create-token"
  %one = stablehlo.constant dense<1> : tensor<ui16>
  %0 = "stablehlo.outfeed"(%one, %t) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$" "^error: no flag 0 follows: .* .hook-flag.$"
  %1 = "stablehlo.outfeed"(%x, %0) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
  return
}
