module @jit_ordered_large attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: !stablehlo.token {jax.token = true}, %arg1: tensor<64x64xf32>) -> (!stablehlo.token {jax.token = true}, tensor<64x64xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = stablehlo.slice %0 [0:1, 0:1] : (tensor<64x64xf32>) -> tensor<1x1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x1xf32>) -> tensor<f32>
    %3 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0, %2) {backend_config = "", has_side_effect = true, mhlo.backend_config = {index = 0 : ui64}, operand_layouts = [dense<> : tensor<0xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (!stablehlo.token, tensor<f32>) -> !stablehlo.token
    return %3, %0 : !stablehlo.token, tensor<64x64xf32>
  }
}
