package main

import "testing"

const dividedModule = `module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main() -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %x = stablehlo.constant dense<[3.0, 1.0]> : tensor<2xf32>
    %y = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<2xf32>
    return %y : tensor<2xf32>
  }
}`

const manualModule = `module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main() -> tensor<2xf32> {
    %x = stablehlo.constant dense<[3.0, 1.0]> : tensor<2xf32>
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
      manual_axes={"x"} (%y: tensor<1xf32>) {
      sdy.return %y : tensor<1xf32>
    } : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}`

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
		"without XLA, as with --jit, --devices, --cache and --exact are not there")
	command{stdin: dividedModule}.run(t, "--jit", "-").want(t, exitDone, "out0 f32[2] [3 1]", "")
	command{stdin: manualModule}.run(t, "--jit", "-").want(t, exitDone, "out0 f32[2] [3 1]", "")
	const refused = `func.func @main() -> tensor<4xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %n = stablehlo.optimization_barrier %one : tensor<1xi64>
  %none = stablehlo.constant dense<0> : tensor<1xi64>
  %0 = stablehlo.dynamic_pad %x, %zero, %n, %n, %none : (tensor<2xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>,
    tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`
	const result, warning = "out0 f32[4] [0 1 2 0]", "the interpreter runs a stage, slowly"
	command{stdin: refused}.run(t, "--jit", "-").want(t, exitDone, result, warning)
	command{stdin: refused}.run(t, "--jit", "--fallback", "on", "-").want(t, exitDone, result, "")
	command{stdin: refused}.run(t, "--jit", "--fallback", "off", "-").want(t, exitFailed, "",
		"stablehlo.dynamic_pad at")
	command{stdin: refused}.run(t, "--fallback", "no", "-").want(t, exitFailed, "", "use off, warn or on")
	const replicas = `func.func @main() -> tensor<ui32> {
  %x = stablehlo.replica_id : tensor<ui32>
  return %x : tensor<ui32>
}`
	command{stdin: replicas}.run(t, "--jit", "--replicas", "2", "-").want(t, exitDone, "out0 u32[] 0\nout1 u32[] 1", "")
}
