// Branches without an effect that return a token.
func.func @main(%p: tensor<i1>) -> !stablehlo.token {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.after_all : !stablehlo.token
    stablehlo.return %1 : !stablehlo.token
  }, {
    %1 = stablehlo.after_all : !stablehlo.token
    stablehlo.return %1 : !stablehlo.token
  }) : (tensor<i1>) -> !stablehlo.token
  return %0 : !stablehlo.token
}
