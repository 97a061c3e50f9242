// Outfeeds at every depth. The name alone, as in stablehlo.outfeed here, is not one.
module @outfeed attributes {mhlo.note = "stablehlo.outfeed"} {
  func.func @top(%x: tensor<f32>, %t: !stablehlo.token) -> !stablehlo.token { // want "^note: .* .token-value.$"
    %0 = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "^error: stablehlo.outfeed sends values .* api_version = 4 instead, in the observe or the passthrough form .outfeed.$"
    return %0 : !stablehlo.token
  }
  func.func @inside(%p: tensor<i1>, %x: tensor<f32>, %t: !stablehlo.token) -> !stablehlo.token { // want "^note: .* .token-value.$"
    %arg = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.if"(%p) ({
      %1 = "stablehlo.case"(%arg) ({
        %2 = "stablehlo.outfeed"(%x, %x, %t) : (tensor<f32>, tensor<f32>, !stablehlo.token) -> !stablehlo.token // want "outfeed.$"
        stablehlo.return %2 : !stablehlo.token
      }) : (tensor<i32>) -> !stablehlo.token
      stablehlo.return %1 : !stablehlo.token
    }, {
      stablehlo.return %t : !stablehlo.token
    }) : (tensor<i1>) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
  module @nested {
    func.func @mhlo(%x: tensor<f32>, %t: !mhlo.token) -> !mhlo.token {
      %0 = "mhlo.outfeed"(%x, %t) : (tensor<f32>, !mhlo.token) -> !mhlo.token // want "error: mhlo.outfeed .* .outfeed.$"
      return %0 : !mhlo.token
    }
  }
  func.func private @outfeed(%outfeed: tensor<f32>) -> tensor<f32>
  func.func @words(%outfeed: tensor<f32>) -> tensor<f32> {
    %0 = call @outfeed(%outfeed) : (tensor<f32>) -> tensor<f32>
    %1 = stablehlo.custom_call @"stablehlo.outfeed"(%0) {api_version = 4 : i32, backend_config = {op = "stablehlo.outfeed"}} : (tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}
