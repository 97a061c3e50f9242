func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %init = stablehlo.constant dense<1> : tensor<i8>
  %0:2 = stablehlo.while(%i = %init, %v = %x) : tensor<i8>, tensor<f32>
  cond {
    %end = stablehlo.constant dense<40> : tensor<i8>
    %1 = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %k = stablehlo.constant dense<127> : tensor<i8>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %2 = stablehlo.add %i, %k : tensor<i8>
    %3 = stablehlo.add %v, %one : tensor<f32>
    stablehlo.return %2, %3 : tensor<i8>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
