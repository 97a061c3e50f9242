func.func @main(%x: tensor<4xf32>, %z: tensor<0xi8>, %p: tensor<i1>) {
  %0 = stablehlo.custom_call @first(%x, %z) {api_version = 4 : i32, has_side_effect = true} : (tensor<4xf32>, tensor<0xi8>) -> tensor<0xi8>
  %1 = stablehlo.custom_call @second(%x, %0) {api_version = 4 : i32, has_side_effect = true} : (tensor<4xf32>, tensor<0xi8>) -> tensor<0xi8> // want "^warning: operand 1 of the call of @second, tensor<0xi8>, is to order it after another call, .* .zero-token.$" fix "^none$"
  %2 = func.call @callee(%x, %1) : (tensor<4xf32>, tensor<0xi8>) -> tensor<0xi8>
  %3 = "stablehlo.if"(%p) ({
    stablehlo.custom_call @third(%2) {api_version = 4 : i32, has_side_effect = true} : (tensor<0xi8>) -> () // want "@third"
    stablehlo.return %2 : tensor<0xi8>
  }, {
    stablehlo.return %z : tensor<0xi8>
  }) : (tensor<i1>) -> tensor<0xi8>
  // It has nothing from a call, or no side effect, or is one byte.
  stablehlo.custom_call @fourth(%z) {api_version = 4 : i32, has_side_effect = true} : (tensor<0xi8>) -> ()
  %4 = stablehlo.custom_call @fifth(%3) {api_version = 4 : i32} : (tensor<0xi8>) -> tensor<1xi8>
  stablehlo.custom_call @sixth(%4) {api_version = 4 : i32, has_side_effect = true} : (tensor<1xi8>) -> ()
  return
}
func.func private @callee(%x: tensor<4xf32>, %z: tensor<0xi8>) -> tensor<0xi8> {
  %0 = stablehlo.custom_call @inner(%x, %z) {api_version = 4 : i32, has_side_effect = true} : (tensor<4xf32>, tensor<0xi8>) -> tensor<0xi8> // want "@inner"
  return %0 : tensor<0xi8>
}
