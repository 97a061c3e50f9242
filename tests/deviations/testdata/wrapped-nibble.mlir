func.func @main(%x: tensor<3xi4>, %y: tensor<3xui4>) -> (tensor<3xi8>, tensor<3xui8>) {
  %0 = stablehlo.add %x, %x : tensor<3xi4>
  %1 = stablehlo.convert %0 : (tensor<3xi4>) -> tensor<3xi8>
  %2 = stablehlo.not %y : tensor<3xui4>
  %3 = stablehlo.convert %2 : (tensor<3xui4>) -> tensor<3xui8>
  return %1, %3 : tensor<3xi8>, tensor<3xui8>
}
