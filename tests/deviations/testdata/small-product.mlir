func.func @main(%x: tensor<2xui4>) -> (tensor<i32>, tensor<ui4>) {
  %0 = stablehlo.dot %x, %x : (tensor<2xui4>, tensor<2xui4>) -> tensor<i32>
  %1 = stablehlo.dot %x, %x : (tensor<2xui4>, tensor<2xui4>) -> tensor<ui4>
  return %0, %1 : tensor<i32>, tensor<ui4>
}
