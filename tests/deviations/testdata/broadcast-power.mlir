func.func @main(%x: tensor<i32>, %k: tensor<4xi32>) -> tensor<4xi32> {
  %0 = chlo.broadcast_power %x, %k : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
