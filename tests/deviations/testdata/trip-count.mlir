func.func @main(%x: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  %init = stablehlo.constant dense<-3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %init, %v = %x) : tensor<i32>, tensor<f32>
  cond {
    %end = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %2 = stablehlo.add %i, %two : tensor<i32>
    %3 = stablehlo.add %v, %one : tensor<f32>
    stablehlo.return %2, %3 : tensor<i32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<f32>
}
