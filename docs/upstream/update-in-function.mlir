// Updates in functions
//
// The new shape may be in the function that calls.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: s32[6] [0 3 6 9 12 15]
// Expected: s32[1,6] [0 0 3 6 9 12]
// Got: s32[1,6] [0 0 0 0 0 0]
func.func @main(%x: tensor<6xi32>) -> tensor<1x6xi32> {
  %0 = call @shift(%x) : (tensor<6xi32>) -> tensor<6xi32>
  %1 = stablehlo.reshape %0 : (tensor<6xi32>) -> tensor<1x6xi32>
  return %1 : tensor<1x6xi32>
}
func.func private @shift(%x: tensor<6xi32>) -> tensor<6xi32> {
  %i = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.slice %x [0:5] : (tensor<6xi32>) -> tensor<5xi32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %i : (tensor<6xi32>, tensor<5xi32>, tensor<i32>) -> tensor<6xi32>
  return %1 : tensor<6xi32>
}
