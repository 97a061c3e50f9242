func.func @main(%x: tensor<4xf4E2M1FN>) -> (tensor<4xi8>, tensor<4xui32>) {
  %0 = stablehlo.convert %x : (tensor<4xf4E2M1FN>) -> tensor<4xi8>
  %1 = stablehlo.convert %x : (tensor<4xf4E2M1FN>) -> tensor<4xui32>
  return %0, %1 : tensor<4xi8>, tensor<4xui32>
}
