// Bits of narrow integers
//
// XLA counts the bits of an integer of 2 or 4 bits in a wider one, whose further bits have the sign.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Expected: s4[4] [1 0 4 1], s2[2] [1 1]
// Got: s4[4] [1 0 -8 5], s2[2] [-1 1]
func.func @main() -> (tensor<4xi4>, tensor<2xi2>) {
  %x = stablehlo.constant dense<[1, 0, -1, -8]> : tensor<4xi4>
  %0 = stablehlo.popcnt %x : tensor<4xi4>
  %y = stablehlo.constant dense<[-2, 1]> : tensor<2xi2>
  %1 = stablehlo.popcnt %y : tensor<2xi2>
  return %0, %1 : tensor<4xi4>, tensor<2xi2>
}
