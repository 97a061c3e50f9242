func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) -> !stablehlo.token { // want "token-value"
  %1 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token // want "^warning: the module has no stablehlo.recv of channel 1: the device waits forever, unless another program has it .unpaired-send.$" fix "^none$"
  %2:2 = "stablehlo.recv"(%1) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) // want "the module has no stablehlo.send of channel 2"
  %3 = "stablehlo.send"(%x, %2#1) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %4:2 = "stablehlo.recv"(%3) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %5 = "stablehlo.send"(%x, %4#1) {channel_handle = #stablehlo.channel_handle<handle = 4, type = 2>, is_host_transfer = true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %5 : !stablehlo.token
}
