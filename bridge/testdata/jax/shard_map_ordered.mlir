module @jit_io_ordered attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]> {stablehlo.mesh = {axes = [{name = "i", size = 4 : i64}]}}
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  func.func public @main(%arg0: !stablehlo.token {jax.token = true}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}]>}) -> (!stablehlo.token {jax.token = true}, tensor<8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"i"}]>}) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, []>, <@mesh, [{"i"}]>] out_shardings=[<@mesh, []>, <@mesh, [{"i"}]>] manual_axes={"i"} (%arg2: !stablehlo.token, %arg3: tensor<2xf32>) {
      %2:2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg2, %arg3) {backend_config = "", has_side_effect = true, mhlo.backend_config = {index = 0 : ui64}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>], sdy.sharding = #sdy.sharding_per_value<[<@empty_mesh, []>, <@empty_mesh, [{}]>]>} : (!stablehlo.token, tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>)
      %3 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%2#0, %arg3) {backend_config = "", has_side_effect = true, mhlo.backend_config = {index = 1 : ui64}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>], sdy.sharding = #sdy.sharding_per_value<[<@empty_mesh, []>]>} : (!stablehlo.token, tensor<2xf32>) -> !stablehlo.token
      %4:2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%3, %2#1) {backend_config = "", has_side_effect = true, mhlo.backend_config = {index = 2 : ui64}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>], sdy.sharding = #sdy.sharding_per_value<[<@empty_mesh, []>, <@empty_mesh, [{}]>]>} : (!stablehlo.token, tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>)
      sdy.return %4#0, %4#1 : !stablehlo.token, tensor<2xf32>
    } : (!stablehlo.token, tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>)
    %1 = sdy.sharding_constraint %0#1 <@mesh, [{"i"}]> : tensor<8xf32>
    return %0#0, %1 : !stablehlo.token, tensor<8xf32>
  }
}
