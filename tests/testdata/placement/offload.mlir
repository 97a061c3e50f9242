module @jit_offload attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4xf32>) -> (tensor<2x4xf32> {jax.result_info = "result", mhlo.memory_kind = "device"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.sine %arg0 : tensor<2x4xf32>
    %1 = stablehlo.custom_call @annotate_device_placement(%0) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2:3 = stablehlo.optimization_barrier %1, %arg0, %cst : tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>
    %3 = stablehlo.cosine %2#1 : tensor<2x4xf32>
    %4 = stablehlo.custom_call @annotate_device_placement(%2#0) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = stablehlo.sine %4 : tensor<2x4xf32>
    %6 = stablehlo.cosine %4 : tensor<2x4xf32>
    %7 = stablehlo.broadcast_in_dim %2#2, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<2x4xf32>
    %9 = stablehlo.multiply %7, %4 : tensor<2x4xf32>
    %10 = stablehlo.multiply %9, %6 : tensor<2x4xf32>
    %11 = stablehlo.add %8, %10 : tensor<2x4xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<2x4xf32>
    return %12 : tensor<2x4xf32>
  }
}
