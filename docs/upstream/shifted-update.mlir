// Updates by a part of the array itself
//
// Where an array is updated by a shifted slice of itself, and then only gets another shape, XLA updates it in
// place, and reads elements that it has written already.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[6] [0 3 6 9 12 15]
// Expected: s32[1,6] [1 1 4 7 10 13]
// Got: s32[1,6] [1 1 1 1 1 1]
func.func @main(%x: tensor<6xi32>) -> tensor<1x6xi32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ones = stablehlo.constant dense<1> : tensor<6xi32>
  %0 = stablehlo.add %x, %ones : tensor<6xi32>
  %1 = stablehlo.slice %0 [0:5] : (tensor<6xi32>) -> tensor<5xi32>
  %2 = stablehlo.dynamic_update_slice %0, %1, %one : (tensor<6xi32>, tensor<5xi32>, tensor<i32>) -> tensor<6xi32>
  %3 = stablehlo.reshape %2 : (tensor<6xi32>) -> tensor<1x6xi32>
  return %3 : tensor<1x6xi32>
}
