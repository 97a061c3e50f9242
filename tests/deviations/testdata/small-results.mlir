func.func @main(%x: tensor<2x2xi4>) -> (tensor<2x2xi4>, tensor<2x2xi4>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xi4>) -> tensor<2x2xi4>
  return %0, %x : tensor<2x2xi4>, tensor<2x2xi4>
}
