// Aliases of calls without results
//
// StableHLO's verifier reads the type of a result, also where a custom call has an alias and no results.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[4] [3 1 2 4]
// Expected: is not compiled
// Got: ends the process
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  stablehlo.custom_call @f(%x) {has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}
