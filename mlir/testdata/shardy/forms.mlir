module @m attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  sdy.mesh @"odd name" = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  sdy.mesh @m4 = <["z"=4]>
  sdy.mesh @one = <[], device_ids=[2]>
  sdy.mesh @none = <[]>
  func.func @inner(%a: tensor<2x2xf32>) -> tensor<2x2xf32> { return %a : tensor<2x2xf32> }
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m4, [{"z":(2)2, ?}p3, {}], replicated={"z":(1)2}>}, %arg1: tensor<8x8xf32>, %arg9: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=4]>, [{?}, {}], replicated={"a"}>}) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"y", ?}]> : tensor<8x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}, {}]> {a.b = 3 : i64} : tensor<8x8xf32>
    sdy.sharding_group %2 group_id=21 : tensor<8x8xf32>
    %3 = sdy.propagation_barrier %2 allowed_direction=BACKWARD : tensor<8x8xf32>
    %4:2 = sdy.manual_computation(%3, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
      %7 = stablehlo.add %arg2, %arg3 : tensor<4x8xf32>
      %8 = stablehlo.constant dense<1> : tensor<8x8xi32>
      sdy.return %7, %8 : tensor<4x8xf32>, tensor<8x8xi32>
    } : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xi32>)
    %5 = sdy.named_computation<"foo">(%4#0) out_shardings=[<@mesh, [{"x"}, {}]>] (%arg2: tensor<8x8xf32>) {
      sdy.return %arg2 : tensor<8x8xf32>
    } {backend_config = "x"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    %6 = sdy.all_gather [{"x"}, {}] %5 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %7 = sdy.all_slice [{}, {"y"}] %6 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %8 = sdy.all_to_all [{"y"}: 1->0] %7 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    %9 = sdy.collective_permute %8 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %10 = sdy.all_reduce {"y"} %9 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %11 = sdy.reduce_scatter [{}, {"y"}] %10 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
    %12 = sdy.sharded_to_unreduced [{}, {"y"}] %11 out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
    %13 = sdy.all_reduce max {"y"} %10 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %14 = sdy.replicated_to_unreduced {"y"} %13 out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
    %15 = sdy.constant dense<0.000000e+00> : tensor<8x8xf32>
    %18 = stablehlo.optimization_barrier %14 : tensor<8x8xf32>
    %16 = sdy.data_flow_edge %18 sharding=<@mesh, [{"x"}, {}], unreduced=max{"y"}> : tensor<8x8xf32>
    %17 = sdy.func_data_flow_edge %arg9 : tensor<8x8xf32>
    return %16 : tensor<8x8xf32>
  }
}
