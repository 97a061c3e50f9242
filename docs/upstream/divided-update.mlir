// Updates of divided arrays
//
// Where devices share an array, XLA loses an update that begins outside of it, instead of moving it inside.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Devices: 2, as partitions
// Input: f32[4] [3 1 2 4]
// Input: s32[] 9
// Expected: f32[4] [3 1 2 9]
// Got: f32[4] [3 1 2 4]
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4xf32> {mhlo.sharding = "{replicated}"}, %i: tensor<i32> {mhlo.sharding = "{replicated}"})
      -> (tensor<4xf32> {mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
    %nine = stablehlo.constant dense<9.0> : tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %0, %nine, %i {mhlo.sharding = "{devices=[2]<=[2]}"}
      : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
