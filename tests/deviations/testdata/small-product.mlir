func.func @main(%x: tensor<2xui4>, %y: tensor<2xui2>) -> (tensor<i32>, tensor<ui4>, tensor<ui2>) {
  %0 = stablehlo.dot %x, %x : (tensor<2xui4>, tensor<2xui4>) -> tensor<i32>
  %1 = stablehlo.dot %x, %x : (tensor<2xui4>, tensor<2xui4>) -> tensor<ui4>
  %2 = stablehlo.einsum %y, %y, config = "i,i->" : (tensor<2xui2>, tensor<2xui2>) -> tensor<ui2>
  return %0, %1, %2 : tensor<i32>, tensor<ui4>, tensor<ui2>
}
