func.func @main(%x: tensor<6xi32>) -> tensor<1x6xi32> {
  %0 = call @shift(%x) : (tensor<6xi32>) -> tensor<6xi32>
  %1 = stablehlo.reshape %0 : (tensor<6xi32>) -> tensor<1x6xi32>
  return %1 : tensor<1x6xi32>
}
func.func private @shift(%x: tensor<6xi32>) -> tensor<6xi32> {
  %i = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.slice %x [0:5] : (tensor<6xi32>) -> tensor<5xi32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %i : (tensor<6xi32>, tensor<5xi32>, tensor<i32>) -> tensor<6xi32>
  return %1 : tensor<6xi32>
}
