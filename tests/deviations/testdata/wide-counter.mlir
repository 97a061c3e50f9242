func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %z = stablehlo.constant dense<0> : tensor<i64>
  %1 = stablehlo.while(%2 = %z) : tensor<i64>
  cond {
    %3 = stablehlo.compare GE, %n, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %4 = stablehlo.constant dense<7> : tensor<i64>
    %5 = stablehlo.add %4, %2 : tensor<i64>
    stablehlo.return %5 : tensor<i64>
  }
  return %1 : tensor<i64>
}
