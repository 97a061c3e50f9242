func.func @main(%x: tensor<3xi8>) -> tensor<i32> {
  %y = stablehlo.constant dense<100> : tensor<3xi8>
  %0 = stablehlo.einsum %x, %y, config = "i,i->" : (tensor<3xi8>, tensor<3xi8>) -> tensor<i32>
  return %0 : tensor<i32>
}
