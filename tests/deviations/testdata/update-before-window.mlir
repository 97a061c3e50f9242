func.func @main(%x: tensor<6xi32>, %i: tensor<i32>) -> tensor<3xi32> {
  %0 = stablehlo.add %x, %x : tensor<6xi32>
  %1 = stablehlo.slice %0 [1:5] : (tensor<6xi32>) -> tensor<4xi32>
  %2 = stablehlo.dynamic_update_slice %0, %1, %i : (tensor<6xi32>, tensor<4xi32>, tensor<i32>) -> tensor<6xi32>
  %3 = stablehlo.constant dense<0> : tensor<i32>
  %4 = "stablehlo.reduce_window"(%2, %3) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %5 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %5 : tensor<i32>
    }) : (tensor<6xi32>, tensor<i32>) -> tensor<3xi32>
  return %4 : tensor<3xi32>
}
