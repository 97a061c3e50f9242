func.func @main(%x: tensor<3xf32>, %n: tensor<i32>, %p: tensor<6xi1>) -> tensor<6xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %1:3 = stablehlo.while(%i = %zero, %a = %0, %b = %0) : tensor<i32>, tensor<6xf32>, tensor<6xf32>
  cond {
    %4 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %b, %a : tensor<i32>, tensor<6xf32>, tensor<6xf32>
  }
  %2 = stablehlo.reverse %1#1, dims = [0] : tensor<6xf32>
  %3 = stablehlo.select %p, %0, %2 : tensor<6xi1>, tensor<6xf32>
  return %3 : tensor<6xf32>
}
