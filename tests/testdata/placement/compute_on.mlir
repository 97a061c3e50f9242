module @jit_compute_on_host attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4xf32>) -> (tensor<2x4xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @"<lambda>"(%arg0) {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x4xf32>
    return %2 : tensor<2x4xf32>
  }
  func.func private @"<lambda>"(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %0 = stablehlo.tanh %arg0 {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : tensor<2x4xf32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : (tensor<f32>) -> tensor<2x4xf32>
    %2 = stablehlo.multiply %0, %1 {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : tensor<2x4xf32>
    return %2 : tensor<2x4xf32>
  }
}
