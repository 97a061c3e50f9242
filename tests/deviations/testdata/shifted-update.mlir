func.func @main(%x: tensor<6xi32>) -> tensor<1x6xi32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ones = stablehlo.constant dense<1> : tensor<6xi32>
  %0 = stablehlo.add %x, %ones : tensor<6xi32>
  %1 = stablehlo.slice %0 [0:5] : (tensor<6xi32>) -> tensor<5xi32>
  %2 = stablehlo.dynamic_update_slice %0, %1, %one : (tensor<6xi32>, tensor<5xi32>, tensor<i32>) -> tensor<6xi32>
  %3 = stablehlo.reshape %2 : (tensor<6xi32>) -> tensor<1x6xi32>
  return %3 : tensor<1x6xi32>
}
