package main

import "testing"

// TestExact runs an identity that XLA simplifies wrongly, which the log says.
func TestExact(t *testing.T) {
	c := command{stdin: `func.func @main() -> tensor<f32> {
  %0 = stablehlo.constant dense<1.0e30> : tensor<f32>
  %x, %y = stablehlo.optimization_barrier %0, %0 : tensor<f32>, tensor<f32>
  %1 = stablehlo.divide %y, %x : tensor<f32>
  %2 = stablehlo.divide %x, %1 : tensor<f32>
  return %2 : tensor<f32>
}`}
	c.run(t, "-").want(t, 0, "out0 f32[] +Inf\n", "XLA simplifies a part of the module that has another value then")
	c.run(t, "--exact", "-").want(t, 0, "out0 f32[] 1e+30\n", "")
}

// TestPrepared runs a power that XLA gets wrong in a module that is not prepared.
func TestPrepared(t *testing.T) {
	command{stdin: `func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<[3, 65]> : tensor<2xi32>
  %1 = stablehlo.optimization_barrier %0 : tensor<2xi32>
  %2 = stablehlo.slice %1 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %3 = stablehlo.slice %1 [1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %4 = stablehlo.power %2, %3 : tensor<1xi32>
  %5 = stablehlo.reshape %4 : (tensor<1xi32>) -> tensor<i32>
  return %5 : tensor<i32>
}`}.run(t, "-").want(t, 0, "out0 s32[] 1820079875\n", "")
}
