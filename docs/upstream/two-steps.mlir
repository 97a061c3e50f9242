// Counters that are updated twice
//
// It makes one step of two, too.
//
// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64
// Input: f32[] 0
// Expected: s16[] 1, f32[] 2
// Got: s16[] -1, f32[] 1
func.func @main(%x: tensor<f32>) -> (tensor<i16>, tensor<f32>) {
  %start = stablehlo.constant dense<-3> : tensor<i16>
  %0:2 = stablehlo.while(%i = %start, %y = %x) : tensor<i16>, tensor<f32>
  cond {
    %bound = stablehlo.constant dense<0> : tensor<i16>
    %1 = stablehlo.compare LT, %i, %bound : (tensor<i16>, tensor<i16>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i16>
    %1 = stablehlo.add %i, %one : tensor<i16>
    %2 = stablehlo.add %1, %one : tensor<i16>
    %step = stablehlo.constant dense<1.0> : tensor<f32>
    %3 = stablehlo.add %y, %step : tensor<f32>
    stablehlo.return %2, %3 : tensor<i16>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<i16>, tensor<f32>
}
