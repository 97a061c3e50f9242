func.func @main(%x: tensor<?xf32>, %n: tensor<1xi32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %dims = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %dims, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32> // want "^warning: the shape of its result stays dynamic: tensor<.xf32> whatever the shapes of the arguments are, and XLA compiles static ones: compute it from constants and sizes, or use a bound .dynamic-shape.$" fix "^none$"
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
