// Signed random bits
//
// XLA returns unsigned integers for the signed ones of a rng_bit_generator.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Expected: s16[3] [-5804 -10949 -27949], f32[3] [-5804 -10949 -27949]
// Got: u16[3] [59732 54587 37587], f32[3] [59732 54587 37587]
func.func @main() -> (tensor<3xi16>, tensor<3xf32>) {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %0:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xi16>)
  %1 = stablehlo.convert %0#1 : (tensor<3xi16>) -> tensor<3xf32>
  return %0#1, %1 : tensor<3xi16>, tensor<3xf32>
}
