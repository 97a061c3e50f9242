// Tokens elsewhere than in hooks.
module {
  func.func @main(%t: !stablehlo.token {jax.token = true}, %x: tensor<f32>) -> (!stablehlo.token {jax.token = true}) { // want "^note: a token is in the signature of @main, and only the runtime that it was written for passes it: .* .token-value.$"
    %0 = stablehlo.custom_call @ordered(%t, %x) {api_version = 4 : i32, has_side_effect = true} : (!stablehlo.token, tensor<f32>) -> !stablehlo.token
    %1 = stablehlo.custom_call @made(%x) {api_version = 4 : i32, has_side_effect = true} : (tensor<f32>) -> tuple<!stablehlo.token, tensor<f32>>
    return %0 : !stablehlo.token
  }
  func.func private @declared(tuple<!stablehlo.token>) // want "unused-function"
  func.func private @none(%x: tensor<f32>) -> tensor<f32> { // want "unused-function"
    %0 = stablehlo.custom_call @pure(%x) {api_version = 4 : i32} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
