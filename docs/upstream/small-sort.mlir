// Sorts of small integers
//
// XLA does not sort arrays of elements of 2 or 4 bits together with others. One of elements of 2 bits comes out
// in another order, or the process ends.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: u4[4] [0 2 7 3]
// Expected: u4[4] [2 0 7 3], s2[4] [1 0 -1 -2]
// Got: is not compiled
func.func @main(%x: tensor<4xui4>) -> (tensor<4xui4>, tensor<4xi2>) {
  %y = stablehlo.constant dense<[0, 1, -1, -2]> : tensor<4xi2>
  %0:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<ui4>, %b: tensor<ui4>, %c: tensor<i2>, %d: tensor<i2>):
    %1 = stablehlo.compare GT, %c, %d : (tensor<i2>, tensor<i2>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xui4>, tensor<4xi2>) -> (tensor<4xui4>, tensor<4xi2>)
  return %0#0, %0#1 : tensor<4xui4>, tensor<4xi2>
}
