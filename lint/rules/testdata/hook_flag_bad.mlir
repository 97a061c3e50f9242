// Each mistake in the flags of hooks.
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>, %n: tensor<ui16>) {
  %one = stablehlo.constant dense<1> : tensor<ui16>
  %zero = stablehlo.constant dense<0> : tensor<ui16>
  %t = stablehlo.create_token : !stablehlo.token // want "create-token"
  %0 = "stablehlo.outfeed"(%n, %t) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "-fix cannot replace it: the flag at .*hook_flag_bad.mlir:6:8 is not a constant. .outfeed.$" fix "none" "^error: the flag is not a constant, .* .hook-flag.$" fix "none"
  %1 = "stablehlo.outfeed"(%one, %0) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
  %2 = "stablehlo.outfeed"(%x, %1) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
  %3 = "stablehlo.outfeed"(%zero, %2) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$" "^error: the flag 0 ends the program for the host, but an outfeed follows on its token: send it last .hook-flag.$"
  %4 = "stablehlo.outfeed"(%one, %3) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$" "^error: the flag 1 is sent with tensor<2xf32> here and with tensor<4xf32> at .*hook_flag_bad.mlir:7:8: use a flag for each .hook-flag.$"
  %5 = "stablehlo.outfeed"(%y, %4) : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
  func.call @inner(%x, %5) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// The flag 0 is last in its function, but not in the program: the loop sends it again.
func.func private @inner(%x: tensor<4xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %zero = stablehlo.constant dense<0> : tensor<ui16>
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%u = %t) : !stablehlo.token cond { // want "constant-condition"
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = "stablehlo.outfeed"(%zero, %u) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$" "an outfeed follows on its token"
    stablehlo.return %1 : !stablehlo.token
  }
  return %0 : !stablehlo.token
}
