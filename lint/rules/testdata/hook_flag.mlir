// EXLA's protocol of flags.
module {
  module @good {
    func.func @main(%x: tensor<4xf32>, %n: tensor<ui16>) {
      %t = stablehlo.create_token : !stablehlo.token // want "create-token"
      %one = stablehlo.constant dense<1> : tensor<ui16>
      %0 = "stablehlo.outfeed"(%one, %t) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
      %1 = "stablehlo.outfeed"(%x, %0) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
      // The value of a hook may look like a flag.
      %2 = "stablehlo.outfeed"(%one, %1) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
      %3 = "stablehlo.outfeed"(%x, %2) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
      %two = stablehlo.constant dense<2> : tensor<ui16>
      %4 = "stablehlo.outfeed"(%two, %3) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
      %5 = "stablehlo.outfeed"(%n, %4) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
      %zero = stablehlo.constant dense<0> : tensor<ui16>
      %6 = "stablehlo.outfeed"(%zero, %5) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
      return
    }
  }
}
