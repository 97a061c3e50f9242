func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
  %k = stablehlo.constant dense<5> : tensor<2xi32>
  %0 = stablehlo.power %y, %k : tensor<2xi32>
  %1 = stablehlo.divide %x, %0 : tensor<2xi32>
  return %1 : tensor<2xi32>
}
