// Calls between collective operations
//
// Where a call does not return, the other devices wait for its device in the next collective operation, and after
// 40 seconds XLA ends the process. Here it is 2 seconds, by a flag, and the function of one device does not return.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// XLA_FLAGS: --xla_cpu_collective_call_warn_stuck_timeout_seconds=1 --xla_cpu_collective_call_terminate_timeout_seconds=2
// Devices: 2, as replicas
// Input: f32[4] [3 1 2 4]
// Expected: the call times out
// Got: ends the process
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
    : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @calliope_io_callback(%0) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {callback = "stops", form = "passthrough", v = 1 : i64},
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}
    : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_reduce"(%1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
