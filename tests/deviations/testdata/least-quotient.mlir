func.func @main(%x: tensor<3xi16>, %y: tensor<3xi16>) -> (tensor<3xi16>, tensor<3xi16>) {
  %0 = stablehlo.divide %x, %y : tensor<3xi16>
  %1 = stablehlo.remainder %x, %y : tensor<3xi16>
  return %0, %1 : tensor<3xi16>, tensor<3xi16>
}
