// A plain outfeed.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.outfeed"(%x, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}
// -----
// Several values in one outfeed.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %c = stablehlo.constant dense<2> : tensor<ui16>
  %s = "stablehlo.outfeed"(%c, %t) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  %u = "stablehlo.outfeed"(%x, %x, %s) : (tensor<4xf32>, tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %v = "stablehlo.outfeed"(%x, %u) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}
// -----
// Nothing in an outfeed.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.outfeed"(%t) : (!stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}
// -----
// A hook without values.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %c = stablehlo.constant dense<1> : tensor<ui16>
  %z = stablehlo.constant dense<0> : tensor<ui16>
  %u = "stablehlo.outfeed"(%c, %t) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  %v = "stablehlo.outfeed"(%z, %u) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}
// -----
// A value that looks like a flag.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %c = stablehlo.constant dense<1> : tensor<ui16>
  %z = stablehlo.constant dense<0> : tensor<ui16>
  %u = "stablehlo.outfeed"(%c, %t) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  %v = "stablehlo.outfeed"(%z, %u) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  %w = "stablehlo.outfeed"(%x, %v) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %e = "stablehlo.outfeed"(%z, %w) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}
// -----
// Host_callback.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %c = stablehlo.constant dense<[271828, 7]> : tensor<2xui32>
  %s = stablehlo.constant dense<[271828, 0]> : tensor<2xui32>
  %u = "stablehlo.outfeed"(%c, %t) : (tensor<2xui32>, !stablehlo.token) -> !stablehlo.token
  %v = "stablehlo.outfeed"(%x, %c, %u) : (tensor<4xf32>, tensor<2xui32>, !stablehlo.token) -> !stablehlo.token
  %i:2 = "stablehlo.infeed"(%v) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %w = "stablehlo.outfeed"(%x, %i#1) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %e = "stablehlo.outfeed"(%s, %w) : (tensor<2xui32>, !stablehlo.token) -> !stablehlo.token
  return %i#0 : tensor<4xf32>
}
// -----
// Infeeds with and without flags.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %c = stablehlo.constant dense<1> : tensor<ui16>
  %a:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %u = "stablehlo.outfeed"(%c, %a#1) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  %b:2 = "stablehlo.infeed"(%u) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %d:2 = "stablehlo.infeed"(%b#1) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %d#0 : tensor<4xf32>
}
// -----
// Tokens in tuples.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %only = stablehlo.tuple %t, %t : tuple<!stablehlo.token, !stablehlo.token>
  %p = stablehlo.tuple %only, %x, %t : tuple<tuple<!stablehlo.token, !stablehlo.token>, tensor<4xf32>, !stablehlo.token>
  %q = func.call @f(%p) : (tuple<tuple<!stablehlo.token, !stablehlo.token>, tensor<4xf32>, !stablehlo.token>) -> tuple<!stablehlo.token, tensor<4xf32>>
  %v = stablehlo.get_tuple_element %q[1] : (tuple<!stablehlo.token, tensor<4xf32>>) -> tensor<4xf32>
  %u = stablehlo.get_tuple_element %q[0] : (tuple<!stablehlo.token, tensor<4xf32>>) -> !stablehlo.token
  %w = "stablehlo.outfeed"(%v, %u) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %v : tensor<4xf32>
}
func.func private @f(%p: tuple<tuple<!stablehlo.token, !stablehlo.token>, tensor<4xf32>, !stablehlo.token>) -> tuple<!stablehlo.token, tensor<4xf32>> {
  %o = stablehlo.get_tuple_element %p[0] : (tuple<tuple<!stablehlo.token, !stablehlo.token>, tensor<4xf32>, !stablehlo.token>) -> tuple<!stablehlo.token, !stablehlo.token>
  %t = stablehlo.get_tuple_element %o[1] : (tuple<!stablehlo.token, !stablehlo.token>) -> !stablehlo.token
  %v = stablehlo.get_tuple_element %p[1] : (tuple<tuple<!stablehlo.token, !stablehlo.token>, tensor<4xf32>, !stablehlo.token>) -> tensor<4xf32>
  %u = "stablehlo.outfeed"(%v, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %r = stablehlo.tuple %u, %v : tuple<!stablehlo.token, tensor<4xf32>>
  return %r : tuple<!stablehlo.token, tensor<4xf32>>
}
// -----
// If, case and barriers.
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>, %n: tensor<i32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %u, %y = stablehlo.optimization_barrier %t, %x : !stablehlo.token, tensor<4xf32>
  %a = "stablehlo.if"(%p) ({
    %b = "stablehlo.outfeed"(%y, %u) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %b : !stablehlo.token
  }, {
    stablehlo.return %u : !stablehlo.token
  }) : (tensor<i1>) -> !stablehlo.token
  %d:2 = "stablehlo.case"(%n) ({
    stablehlo.return %y, %a : tensor<4xf32>, !stablehlo.token
  }, {
    %i:2 = "stablehlo.infeed"(%a) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    stablehlo.return %i#0, %i#1 : tensor<4xf32>, !stablehlo.token
  }) : (tensor<i32>) -> (tensor<4xf32>, !stablehlo.token)
  %j = stablehlo.after_all %d#1, %t : !stablehlo.token
  %e = "stablehlo.outfeed"(%d#0, %j) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %d#0 : tensor<4xf32>
}
// -----
// Functions, and tokens in signatures.
func.func public @main(%t: !stablehlo.token {jax.token = true}, %x: tensor<4xf32> {jax.arg_info = "x"}, %pid: tensor<8xui8>) -> (tensor<4xf32> {jax.result_info = "y"}, !stablehlo.token {jax.token = true}) {
  %a:2 = func.call @f(%x, %t) : (tensor<4xf32>, !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %b:2 = func.call @f(%a#0, %a#1) : (tensor<4xf32>, !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %b#0, %b#1 : tensor<4xf32>, !stablehlo.token
}
func.func private @f(%x: tensor<4xf32>, %t: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
  %c = stablehlo.constant dense<1> : tensor<ui16>
  %u = "stablehlo.outfeed"(%c, %t) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  %v = "stablehlo.outfeed"(%x, %u) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %y = stablehlo.negate %x : tensor<4xf32>
  return %y, %v : tensor<4xf32>, !stablehlo.token
}
// -----
// Tuples in the signature of main.
func.func @main(%q: tuple<tensor<4xf32>, tuple<!stablehlo.token, tensor<4xf32>>>) -> tuple<tensor<4xf32>, !stablehlo.token> {
  %p = stablehlo.get_tuple_element %q[1] : (tuple<tensor<4xf32>, tuple<!stablehlo.token, tensor<4xf32>>>) -> tuple<!stablehlo.token, tensor<4xf32>>
  %t = stablehlo.get_tuple_element %p[0] : (tuple<!stablehlo.token, tensor<4xf32>>) -> !stablehlo.token
  %x = stablehlo.get_tuple_element %p[1] : (tuple<!stablehlo.token, tensor<4xf32>>) -> tensor<4xf32>
  %u = "stablehlo.outfeed"(%x, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %r = stablehlo.tuple %x, %u : tuple<tensor<4xf32>, !stablehlo.token>
  return %r : tuple<tensor<4xf32>, !stablehlo.token>
}
// -----
// A condition.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %r = stablehlo.while(%i = %x) : tensor<4xf32> cond {
    %u = "stablehlo.outfeed"(%i, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %i2:2 = "stablehlo.infeed"(%u) : (!stablehlo.token) -> (tensor<i1>, !stablehlo.token)
    stablehlo.return %i2#0 : tensor<i1>
  } do {
    stablehlo.return %i : tensor<4xf32>
 
}
  return %r : tensor<4xf32>
}
// -----
// Dead tokens.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  return %x : tensor<4xf32>
}
