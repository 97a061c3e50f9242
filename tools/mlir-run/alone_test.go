package main

import "testing"

// TestAlone runs modules without a plugin.
func TestAlone(t *testing.T) {
	const checked = `func.func @main() -> tensor<4xf32> {
  %x = stablehlo.constant dense<[3.0, 1.0, 2.0, 0.0]> : tensor<4xf32>
  %y = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %e = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_eq(%y, %e) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return %y : tensor<4xf32>
}`
	command{stdin: checked}.run(t, "--jit", "--check", "-").want(t, exitDone, "1 of 1 checks hold", "")
	command{stdin: checked}.run(t, "--jit", "--exact", "-").want(t, exitFailed, "",
		"--jit cannot be combined with --replicas, --devices, --cache or --exact")
}
