func.func @main(%x: tensor<6xi32>, %i: tensor<i32>) -> tensor<3x2xi32> {
  %0 = stablehlo.reshape %x : (tensor<6xi32>) -> tensor<3x2xi32>
  %1 = stablehlo.slice %0 [0:2, 0:2] : (tensor<3x2xi32>) -> tensor<2x2xi32>
  %2 = stablehlo.dynamic_update_slice %0, %1, %i, %i : (tensor<3x2xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x2xi32>
  return %2 : tensor<3x2xi32>
}
