func.func @main(%x: tensor<6xi32>, %i: tensor<i32>, %k: tensor<i32>) -> tensor<2xi32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<6xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = stablehlo.dynamic_slice %0, %k, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %1 : tensor<2xi32>
}
