func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %f = stablehlo.constant dense<1> : tensor<ui16>
  %a = "stablehlo.outfeed"(%f, %t) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // bad
  %b = "stablehlo.outfeed"(%x, %a) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}
// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %f = stablehlo.constant dense<1> : tensor<ui16>
  %a = "stablehlo.outfeed"(%f, %t) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  %b = "stablehlo.outfeed"(%x, %a) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %z = stablehlo.constant dense<0> : tensor<ui16>
  %c = "stablehlo.outfeed"(%z, %b) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}
