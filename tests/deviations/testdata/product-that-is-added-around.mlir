func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<2xf32>
  %1 = stablehlo.compare EQ, %0, %0, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %number = stablehlo.optimization_barrier %1 : tensor<2xi1>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<2xf32>
  %2 = stablehlo.select %number, %0, %nan : tensor<2xi1>, tensor<2xf32>
  %3 = stablehlo.add %2, %x : tensor<2xf32>
  return %3 : tensor<2xf32>
}
