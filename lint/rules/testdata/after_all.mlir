module {
  func.func @feed(%x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "create-token"
    %u = stablehlo.after_all %t, %t : !stablehlo.token // want "^error: stablehlo.after_all joins tokens that order an outfeed, .* .after-all.$" fix "^migrate$"
    %0 = "stablehlo.outfeed"(%x, %u) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    %1 = stablehlo.after_all %0, %u : !stablehlo.token // want "^error: stablehlo.after_all joins tokens that order nothing, .* .after-all.$" fix "^migrate$"
    return
  }
  func.func @nothing() {
    %t = stablehlo.after_all : !stablehlo.token // want "^error: .* order nothing, .* .after-all.$" fix "^migrate$"
    %u = func.call @identity(%t) : (!stablehlo.token) -> !stablehlo.token
    %v = stablehlo.after_all %u : !stablehlo.token // want "^error: .* order nothing, .* .after-all.$" fix "^migrate$"
    return
  }
  func.func private @identity(%t: !stablehlo.token) -> !stablehlo.token {
    return %t : !stablehlo.token
  }
  // Not of hooks: it waits for a send, or is the caller's.
  func.func @send(%x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^note: .*create-token"
    %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    %1 = stablehlo.after_all %0 : !stablehlo.token
    return
  }
  func.func @parameter(%t: !stablehlo.token) -> !stablehlo.token { // want "token-value"
    %0 = stablehlo.after_all %t : !stablehlo.token
    return %0 : !stablehlo.token
  }
  func.func @call(%x: tensor<f32>) {
    %t = stablehlo.after_all : !stablehlo.token
    %0 = stablehlo.custom_call @ordered(%x, %t) {api_version = 4 : i32, has_side_effect = true} : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    return
  }
}
