func.func @main(%x: tensor<0xf64>, %y: tensor<0xf64>) -> tensor<f64> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<0xf64>, tensor<0xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}
