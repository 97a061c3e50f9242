// A function that contains itself.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "my.own" %x {decomposition = @main} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
