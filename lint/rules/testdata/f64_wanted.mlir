func.func @main(%x: tensor<4xcomplex<f64>>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0.5> : tensor<4xf64>
  %2 = stablehlo.convert %c : (tensor<4xf64>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
