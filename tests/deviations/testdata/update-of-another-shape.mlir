func.func @main(%x: tensor<6xi32>, %i: tensor<i32>) -> tensor<3x2xi32> {
  %0 = stablehlo.reshape %x : (tensor<6xi32>) -> tensor<3x2xi32>
  %1 = stablehlo.slice %x [0:4] : (tensor<6xi32>) -> tensor<4xi32>
  %2 = stablehlo.reshape %1 : (tensor<4xi32>) -> tensor<2x2xi32>
  %3 = stablehlo.dynamic_update_slice %0, %2, %i, %i : (tensor<3x2xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x2xi32>
  return %3 : tensor<3x2xi32>
}
