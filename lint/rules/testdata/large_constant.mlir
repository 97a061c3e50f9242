func.func @main() -> (tensor<1048576xf32>, tensor<262144xf32>, tensor<4xf32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<1048576xf32>
  %1 = stablehlo.constant dense_resource<weights> : tensor<262144xf32> // want "^note: a constant of 1.0 MiB is a part of the module: pass the array as an argument .large-constant.$" fix "^none$"
  %2 = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  return %0, %1, %2 : tensor<1048576xf32>, tensor<262144xf32>, tensor<4xf32>
}
