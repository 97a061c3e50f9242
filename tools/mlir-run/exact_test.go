package main

import "testing"

// TestExact runs an identity that XLA simplifies wrongly.
func TestExact(t *testing.T) {
	c := command{stdin: `func.func @main() -> tensor<f32> {
  %0 = stablehlo.constant dense<1.0e30> : tensor<f32>
  %x, %y = stablehlo.optimization_barrier %0, %0 : tensor<f32>, tensor<f32>
  %1 = stablehlo.divide %y, %x : tensor<f32>
  %2 = stablehlo.divide %x, %1 : tensor<f32>
  return %2 : tensor<f32>
}`}
	c.run(t, "-").want(t, 0, "out0 f32[] +Inf\n", "")
	c.run(t, "--exact", "-").want(t, 0, "out0 f32[] 1e+30\n", "")
}
