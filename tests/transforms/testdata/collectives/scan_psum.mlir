module @jit_scan_psum attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]> {stablehlo.mesh = {axes = [{name = "i", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["i"=4]> {stablehlo.mesh = {axes = [{name = "i", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<3x8xf32>) -> (tensor<8xf32> {jax.result_info = "result[0]"}, tensor<3x2xf32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"i"}]>, <@mesh, [{}, {"i"}]>] out_shardings=[<@mesh, [{"i"}]>, <@mesh, [{}, {}]>] manual_axes={"i"} (%arg2: tensor<2xf32>, %arg3: tensor<3x2xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %2:4 = stablehlo.while(%iterArg = %arg3, %iterArg_0 = %c, %iterArg_1 = %arg2, %iterArg_2 = %1) : tensor<3x2xf32>, tensor<i32>, tensor<2xf32>, tensor<3x2xf32>
      cond {
        %c_3 = stablehlo.constant dense<3> : tensor<i32>
        %3 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      } do {
        %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_0) : (tensor<3x2xf32>, tensor<i32>) -> tensor<2xf32>
        %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
        %4 = stablehlo.convert %cst_3 : tensor<f32>
        %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %6 = stablehlo.multiply %iterArg_1, %5 : tensor<2xf32>
        %7 = stablehlo.sine %3 : tensor<2xf32>
        %8 = stablehlo.multiply %7, %iterArg_1 : tensor<2xf32>
        %9 = "stablehlo.all_reduce"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "i">]>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %16 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %16 : tensor<f32>
        }) : (tensor<2xf32>) -> tensor<2xf32>
        %10 = stablehlo.add %6, %9 : tensor<2xf32>
        %11 = "stablehlo.all_reduce"(%iterArg_1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "i">]>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %16 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %16 : tensor<f32>
        }) : (tensor<2xf32>) -> tensor<2xf32>
        %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
        %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %13 = stablehlo.divide %11, %12 : tensor<2xf32>
        %14 = func.call @dynamic_update_index_in_dim(%iterArg_2, %13, %iterArg_0) : (tensor<3x2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<3x2xf32>
        %c_5 = stablehlo.constant dense<1> : tensor<i32>
        %15 = stablehlo.add %iterArg_0, %c_5 : tensor<i32>
        stablehlo.return %iterArg, %15, %10, %14 : tensor<3x2xf32>, tensor<i32>, tensor<2xf32>, tensor<3x2xf32>
      }
      sdy.return %2#2, %2#3 : tensor<2xf32>, tensor<3x2xf32>
    } : (tensor<8xf32>, tensor<3x8xf32>) -> (tensor<8xf32>, tensor<3x2xf32>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<3x2xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<3x2xf32>, %arg1: tensor<i32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>) -> tensor<3x2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    return %1 : tensor<3x2xf32>
  }
}
