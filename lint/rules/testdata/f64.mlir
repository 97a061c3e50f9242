func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0.5> : tensor<4xf64> // want "^note: stablehlo.constant begins to compute in f64, which no public function takes or returns: use the type of the arrays .f64.$" fix "^none$"
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64> // want "stablehlo.convert begins"
  %1 = stablehlo.multiply %c, %0 : tensor<4xf64>
  %2 = stablehlo.convert %1 : (tensor<4xf64>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
