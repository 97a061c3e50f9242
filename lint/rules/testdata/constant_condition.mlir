func.func @main(%y: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %y) : tensor<i32>, tensor<f32> cond { // want "^warning: nothing changes the condition of this loop: it runs zero times or forever: compute it with what the body returns .constant-condition.$" fix "^none$"
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.add %x, %x : tensor<f32>
    stablehlo.return %i, %2 : tensor<i32>, tensor<f32>
  }
  %3:2 = stablehlo.while(%i = %zero, %x = %y) : tensor<i32>, tensor<f32> cond { // the library changes %i
    %4 = stablehlo.custom_call @done(%i) {api_version = 4 : i32} : (tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    stablehlo.return %i, %x : tensor<i32>, tensor<f32>
  }
  %5:2 = stablehlo.while(%i = %zero, %x = %y) : tensor<i32>, tensor<f32> cond {
    %6 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %7 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %7, %x : tensor<i32>, tensor<f32>
  }
  return %0#1, %3#1, %5#1 : tensor<f32>, tensor<f32>, tensor<f32>
}
