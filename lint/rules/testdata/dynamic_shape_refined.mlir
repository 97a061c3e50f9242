func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %dims = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %dims, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
