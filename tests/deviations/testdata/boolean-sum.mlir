func.func @main(%x: tensor<2xi1>, %y: tensor<2xi1>) -> (tensor<2xi1>, tensor<2xf32>, tensor<i1>) {
  %0 = stablehlo.add %x, %y : tensor<2xi1>
  %1 = stablehlo.convert %0 : (tensor<2xi1>) -> tensor<2xf32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %2 = stablehlo.add %true, %true : tensor<i1>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xf32>, tensor<i1>
}
