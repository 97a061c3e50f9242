// Each function has one path of a token.
module {
  // Old host calls.

  func.func @direct(%x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: stablehlo.create_token creates a token that orders an outfeed, .* api_version = 4 instead, .* .create-token.$"
    %0 = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    return
  }
  func.func @infeed() -> tensor<f32> {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an infeed,"
    %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token) // want "^error: .* .infeed.$" fix "^migrate$"
    return %0#0 : tensor<f32>
  }
  func.func @both() -> tensor<f32> {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed and an infeed,"
    %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token) // want "^error: .* .infeed.$" fix "^migrate$"
    %1 = "stablehlo.outfeed"(%0#0, %0#1) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    return %0#0 : tensor<f32>
  }
  func.func @joined(%x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %u = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %0 = stablehlo.after_all %t, %u : !stablehlo.token // want "^error: .* .after-all.$" fix "^migrate$"
    %1 = stablehlo.optimization_barrier %0 : !stablehlo.token
    %2 = "stablehlo.outfeed"(%x, %1) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    return
  }
  func.func @behind_another_call(%x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %0 = stablehlo.custom_call @other(%t) {has_side_effect = true} : (!stablehlo.token) -> !stablehlo.token // want "^warning: .* .legacy-custom-call.$" "legacy-adapter"
    %1 = "stablehlo.outfeed"(%x, %0) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    return
  }
  func.func @tuple(%x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %0 = stablehlo.tuple %x, %t : tuple<tensor<f32>, !stablehlo.token> // want "deprecated-op"
    %1 = stablehlo.tuple %0, %x : tuple<tuple<tensor<f32>, !stablehlo.token>, tensor<f32>> // want "deprecated-op"
    %2 = stablehlo.get_tuple_element %1[0] : (tuple<tuple<tensor<f32>, !stablehlo.token>, tensor<f32>>) -> tuple<tensor<f32>, !stablehlo.token> // want "deprecated-op"
    %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<f32>, !stablehlo.token>) -> !stablehlo.token // want "deprecated-op"
    %4 = "stablehlo.outfeed"(%x, %3) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    return
  }
  func.func @captured(%p: tensor<i1>, %x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %0 = "stablehlo.if"(%p) ({
      %1 = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
      stablehlo.return %t : !stablehlo.token
    }, {
      stablehlo.return %t : !stablehlo.token
    }) : (tensor<i1>) -> !stablehlo.token
    return
  }
  func.func @out_of_a_branch(%i: tensor<i32>, %x: tensor<f32>) {
    %0:2 = "stablehlo.case"(%i) ({
      %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
      stablehlo.return %t, %x : !stablehlo.token, tensor<f32>
    }) : (tensor<i32>) -> (!stablehlo.token, tensor<f32>)
    %1 = "stablehlo.outfeed"(%0#1, %0#0) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    return
  }
  // The tokens in one loop are distinguished, and the second iteration counts: the first
  // token is exchanged with the third.
  func.func @loop(%p: tensor<i1>, %x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %u = stablehlo.create_token : !stablehlo.token // want "^note: "
    %v = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %0:3 = stablehlo.while(%a = %t, %b = %u, %c = %v) : !stablehlo.token, !stablehlo.token, !stablehlo.token // want "constant-condition"
    cond {
      stablehlo.return %p : tensor<i1>
    } do {
      %1 = "stablehlo.outfeed"(%x, %c) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$" "does not depend on itself in the iteration before .*unordered-effects.$"
      %2 = stablehlo.custom_call @other(%b) {has_side_effect = true} : (!stablehlo.token) -> !stablehlo.token // want "legacy-adapter"
      stablehlo.return %1, %2, %a : !stablehlo.token, !stablehlo.token, !stablehlo.token
    }
    return
  }
  func.func @in_a_condition(%p: tensor<i1>, %x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %0 = stablehlo.while(%a = %t) : !stablehlo.token // want "constant-condition"
    cond {
      %1 = "stablehlo.outfeed"(%x, %a) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$" "does not depend on itself in the iteration before .*unordered-effects.$"
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return %a : !stablehlo.token
    }
    return
  }
  func.func @after_a_loop(%p: tensor<i1>, %x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %0 = stablehlo.while(%a = %t) : !stablehlo.token // want "constant-condition"
    cond {
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return %a : !stablehlo.token
    }
    %1 = "stablehlo.outfeed"(%x, %0) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    return
  }
  func.func @call(%x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %0 = call @callee(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    return
  }
  func.func private @callee(%x: tensor<f32>, %t: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    return %0 : !stablehlo.token
  }
  func.func private @make() -> !stablehlo.token {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    return %t : !stablehlo.token
  }
  func.func @call_result(%x: tensor<f32>) {
    %t = call @make() : () -> !stablehlo.token
    %0 = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    return
  }
  func.func private @recursive(%x: tensor<f32>, %t: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
    %1 = call @recursive(%x, %0) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    return %1 : !stablehlo.token
  }
  func.func @recursion(%x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders an outfeed,"
    %0 = call @recursive(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    return
  }
  func.func @mhlo(%x: tensor<f32>) {
    %t = "mhlo.create_token"() : () -> !mhlo.token // want "^error: mhlo.create_token .* orders an outfeed,"
    %0 = "mhlo.outfeed"(%x, %t) : (tensor<f32>, !mhlo.token) -> !mhlo.token // want "outfeed.$"
    return
  }

  // Nothing.

  func.func @unused() {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: stablehlo.create_token creates a token that orders nothing, .* .create-token.$"
    return
  }
  func.func private @identity(%t: !stablehlo.token) -> !stablehlo.token {
    return %t : !stablehlo.token
  }
  func.func @plumbing(%p: tensor<i1>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^error: .* orders nothing,"
    %0 = call @identity(%t) : (!stablehlo.token) -> !stablehlo.token
    %1 = stablehlo.while(%a = %0) : !stablehlo.token // want "constant-condition"
    cond {
      stablehlo.return %p : tensor<i1>
    } do {
      %2 = stablehlo.after_all %a, %a : !stablehlo.token // want "^error: .* .after-all.$" fix "^migrate$"
      stablehlo.return %2 : !stablehlo.token
    }
    return
  }

  // Something else.

  func.func @returned() -> !stablehlo.token { // want "^note: .* .token-value.$"
    %t = stablehlo.create_token : !stablehlo.token // want "^note: stablehlo.create_token is deprecated since StableHLO 1.0, and to be removed: write stablehlo.after_all without operands, .* .create-token.$" fix "^none$"
    return %t : !stablehlo.token
  }
  func.func @send(%x: tensor<f32>) {
    %t = stablehlo.create_token : !stablehlo.token // want "^note: stablehlo.create_token is deprecated"
    %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    return
  }
  func.func @custom_call() {
    %t = stablehlo.create_token : !stablehlo.token // want "^note: "
    %0 = stablehlo.custom_call @other(%t) {has_side_effect = true} : (!stablehlo.token) -> tuple<!stablehlo.token> // want "legacy-adapter"
    return
  }
  func.func private @elsewhere(!stablehlo.token) -> !stablehlo.token
  func.func @declared() {
    %t = stablehlo.create_token : !stablehlo.token // want "^note: "
    %0 = call @elsewhere(%t) : (!stablehlo.token) -> !stablehlo.token
    return
  }
  // The nearest module defines the called function.
  module @inner {
    func.func private @callee(%x: tensor<f32>, %t: !stablehlo.token) -> !stablehlo.token {
      %0 = stablehlo.custom_call @other(%t) {has_side_effect = true} : (!stablehlo.token) -> !stablehlo.token // want "legacy-adapter"
      return %0 : !stablehlo.token
    }
    func.func @call(%x: tensor<f32>) {
      %t = stablehlo.create_token : !stablehlo.token // want "^note: "
      %0 = func.call @callee(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
      return
    }
  }
}
