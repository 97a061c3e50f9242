func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %low = stablehlo.constant dense<64> : tensor<2xi32>
  %high = stablehlo.constant dense<-2> : tensor<2xi32>
  %0 = stablehlo.clamp %low, %x, %high : tensor<2xi32>
  %1 = stablehlo.maximum %0, %low : tensor<2xi32>
  return %1 : tensor<2xi32>
}
