// Infeeds at every depth.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %t = stablehlo.create_token : !stablehlo.token // want "error: .*create-token"
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token) // want "^error: stablehlo.infeed waits for values of a host queue .* in the call form .infeed.$" fix "^migrate$"
  %1 = stablehlo.while(%i = %0#0) : tensor<f32> cond {
    %c = stablehlo.compare LT, %i, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %u = stablehlo.create_token : !stablehlo.token // want "error: .*create-token"
    %2:2 = "stablehlo.infeed"(%u) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token) // want "infeed" fix "^migrate$"
    stablehlo.return %2#0 : tensor<f32>
  }
  return %1 : tensor<f32>
}
module @old {
  func.func @mhlo(%t: !mhlo.token) -> tensor<f32> {
    %0:2 = "mhlo.infeed"(%t) : (!mhlo.token) -> (tensor<f32>, !mhlo.token) // want "^error: mhlo.infeed .*\\(-fix cannot replace it: .*stablehlo only\\) .infeed.$" fix "^none$"
    return %0#0 : tensor<f32>
  }
}
