func.func @main(%p: tensor<2xi1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.convert %p : (tensor<2xi1>) -> tensor<2xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
