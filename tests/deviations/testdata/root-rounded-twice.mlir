func.func @main(%x: tensor<2xf8E3M4>) -> tensor<2xf8E3M4> {
  %0 = stablehlo.sqrt %x : tensor<2xf8E3M4>
  return %0 : tensor<2xf8E3M4>
}
