// strict
func.func @main(%y: tensor<i32>, %n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.power %y, %n : tensor<i32> // want "^error: XLA reads only the low six bits"
  return %0 : tensor<i32>
}
