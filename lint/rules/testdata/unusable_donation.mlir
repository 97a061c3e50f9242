func.func public @main(%a: tensor<8xf32> {jax.buffer_donor = true}, %b: tensor<4xi32> {jax.buffer_donor = true}, %c: tensor<2xf32> {tf.aliasing_output = 1 : i32}, %d: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<4xf32>, tensor<2xf32>) { // want "^warning: argument 0 is donated, and no result is left that can use the memory of tensor<8xf32>: do not donate it .unusable-donation.$" fix "^none$" "argument 3 is donated to result 1 by tf.aliasing_output, which is no result of the type tensor<4xf32>"
  return %d, %c : tensor<4xf32>, tensor<2xf32>
}
