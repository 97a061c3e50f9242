func.func @main(%x: tensor<i32>) -> (tensor<ui32>, tensor<i32>, tensor<i32>) {
  %init = stablehlo.constant dense<0> : tensor<ui32>
  %0:3 = stablehlo.while(%i = %init, %v = %x, %h = %x) : tensor<ui32>, tensor<i32>, tensor<i32>
  cond {
    %bound = stablehlo.constant dense<6> : tensor<ui32>
    %c = stablehlo.compare LT, %i, %bound, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %step = stablehlo.constant dense<1> : tensor<ui32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %bc = stablehlo.constant dense<0> : tensor<ui32>
    %n = stablehlo.add %i, %step : tensor<ui32>
    %w = stablehlo.add %v, %one : tensor<i32>
    %hc = stablehlo.compare LT, %i, %bc, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %ha = stablehlo.select %hc, %one, %zero : tensor<i1>, tensor<i32>
    %hn = stablehlo.add %h, %ha : tensor<i32>
    stablehlo.return %n, %w, %hn : tensor<ui32>, tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1, %0#2 : tensor<ui32>, tensor<i32>, tensor<i32>
}
