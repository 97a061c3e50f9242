// Bits of narrow integers
//
// XLA counts the bits of an integer of 2 or 4 bits in a wider one, whose further bits have the sign.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Expected: s4[4] [1 0 4 1]
// Got: s4[4] [1 0 -8 1]
func.func @main() -> tensor<4xi4> {
  %x = stablehlo.constant dense<[2, 0, -1, 4]> : tensor<4xi4>
  %0 = stablehlo.popcnt %x : tensor<4xi4>
  return %0 : tensor<4xi4>
}
