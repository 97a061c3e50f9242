// Unsigned counters that count down
//
// XLA adds 2⁶⁴ − 1 to a counter of ui64 that counts down from a constant, and its compiler expects a step that
// fits into an int64.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[] 0
// Expected: f32[] 3
// Got: ends the process
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %init = stablehlo.constant dense<3> : tensor<ui64>
  %0:2 = stablehlo.while(%i = %init, %v = %x) : tensor<ui64>, tensor<f32>
  cond {
    %end = stablehlo.constant dense<0> : tensor<ui64>
    %1 = stablehlo.compare GT, %i, %end, UNSIGNED : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %step = stablehlo.constant dense<1> : tensor<ui64>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %2 = stablehlo.subtract %i, %step : tensor<ui64>
    %3 = stablehlo.add %v, %one : tensor<f32>
    stablehlo.return %2, %3 : tensor<ui64>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
