func.func @main(%x: tensor<4xui4>) -> (tensor<4xui4>, tensor<4xi2>) {
  %y = stablehlo.constant dense<[0, 1, -1, -2]> : tensor<4xi2>
  %0:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<ui4>, %b: tensor<ui4>, %c: tensor<i2>, %d: tensor<i2>):
    %1 = stablehlo.compare GT, %c, %d : (tensor<i2>, tensor<i2>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xui4>, tensor<4xi2>) -> (tensor<4xui4>, tensor<4xi2>)
  return %0#0, %0#1 : tensor<4xui4>, tensor<4xi2>
}
