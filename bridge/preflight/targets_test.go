package preflight

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// same returns a module that calls a target with a vector and gets a vector.
func same(target string) string {
	return `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.custom_call @"` + target + `"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}`
}

// pair returns a module that calls a target with a matrix and gets two results.
func pair(target, first, second, attributes string) string {
	return "func.func @main(%a: tensor<4x4xf32>) -> (" + first + ", " + second + `) {
  %r:2 = stablehlo.custom_call @` + target + "(%a) {" + attributes + "} : (tensor<4x4xf32>) -> (" + first + ", " + second + `)
  return %r#0, %r#1 : ` + first + ", " + second + "\n}"
}

// chloAttributes returns those of a call that stands for an operation of CHLO with attributes.
func chloAttributes(own string) string {
	return "mhlo.attributes = {" + own + "}, mhlo.version = 1 : i64"
}

// approx computes its top 4 by a call that the compiler expands.
const approx = `func.func @main(%a: tensor<16xf32>, %i: tensor<16xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.constant dense<-1> : tensor<i32>
  %r:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %z, %m) {api_version = 4 : i32, called_computations = [@greater],
    backend_config = {top_k = 4 : i64, reduction_dim = 0 : i64, recall_target = 0.95 : f32, aggregate_to_topk = true, reduction_input_size_override = -1 : i64, is_fallback = true}}
    : (tensor<16xf32>, tensor<16xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
}
func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %r = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %r : tensor<i1>
}`

// sharded is the output of Shardy's export for a manual computation on two devices.
const sharded = `module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\"x\"=2]>}"}} {
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%a) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\"x\"}>"}} : (tensor<8xf32>) -> tensor<4xf32>
    %1 = func.call @xla.sdy.manual_computation_body(%0) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\"x\"}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\"x\"}>"}} : (tensor<4xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @xla.sdy.manual_computation_body(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`

// examples has a module for each target that XLA serves itself.
var examples = map[string]string{
	"ApproxTopK":       approx,
	"Eigh":             pair("Eigh", "tensor<4x4xf32>", "tensor<4xf32>", `backend_config = "1,1,100,1e-6"`),
	"LayoutConstraint": same("LayoutConstraint"),
	"ProductOfElementaryHouseholderReflectors": `func.func @main(%a: tensor<4x4xf32>, %t: tensor<4xf32>) -> tensor<4x4xf32> {
  %r = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %t) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}`,
	"Qr":                   pair("Qr", "tensor<4x4xf32>", "tensor<4xf32>", ""),
	"SPMDFullToShardShape": same("SPMDFullToShardShape"),
	"SPMDShardToFullShape": same("SPMDShardToFullShape"),
	"Sharding":             same("Sharding"),
	"TopK":                 pair("TopK", "tensor<4x2xf32>", "tensor<4x2xi32>", ""),
	"xla.sdy.FuncResultSharding": `module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\"x\"=2]>}"}} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %r = stablehlo.custom_call @xla.sdy.FuncResultSharding(%a) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}]>]>"}} : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}`,
	"xla.sdy.PropagationBarrier": same("xla.sdy.PropagationBarrier"),
	"xla.sdy.ShardingGroup": `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  stablehlo.custom_call @xla.sdy.ShardingGroup(%a) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "0 : i64"}} : (tensor<4xf32>) -> ()
  return %a : tensor<4xf32>
}`,
	"xla.sdy.GlobalToLocalShape": sharded,
	"xla.sdy.LocalToGlobalShape": sharded,
}

// The default plugin compiles exactly the targets in the table.
func TestTargets(t *testing.T) {
	ir := mlirtest.ContextOf(t, mlirtest.Jaxlib(t)) // with sdy
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 2})
	check.NoError(t, err)
	defer client.Close()
	for _, target := range slices.Concat(contract.XLATargets(contract.XLACompiled),
		contract.XLATargets(contract.XLAPartitioned)) {
		t.Run(target, func(t *testing.T) {
			text := examples[target]
			if operation := contract.CHLOOperation(target); operation == "chlo.top_k" {
				text = pair(target, "tensor<4x2xf32>", "tensor<4x2xi32>", chloAttributes("k = 2 : i64, largest = true"))
			} else if operation != "" {
				text = strings.Replace(same(target), "(%a) :", "(%a) {"+chloAttributes("")+"} :", 1)
			}
			if text == "" {
				t.Fatal("the target has no example")
			}
			m, err := ir.Parse(target, []byte(text))
			check.NoError(t, err)
			o, compile := Options{}, engine.CompileOptions{}
			if contract.XLATargetOf(target) == contract.XLAPartitioned {
				if err := Check(m, Options{}); err == nil {
					t.Error("it is fine without partitions")
				}
				o.Partitions, compile.Partitions = 2, 2
			}
			check.Report(t, Check(m, o))
			executable, err := client.Compile(context.Background(), bridge.Source(text), compile)
			check.NoError(t, err)
			executable.Close()
		})
	}
	for target := range examples {
		if contract.XLATargetOf(target) < contract.XLAPartitioned {
			t.Errorf("%s has an example, and is not in the table", target)
		}
	}
}

// TestCHLOAlone holds that a call without the attributes by which XLA knows it is a problem.
func TestCHLOAlone(t *testing.T) {
	err := Check(mlirtest.Parse(t, mlirtest.Context(t), same("mhlo.erf")), Options{})
	check.Error(t, err, `the target "mhlo.erf" needs mhlo.attributes, which may be {}`)
}

// A call on which plugins newer than PJRT 0.81 end the process.
func TestResultShardingAlone(t *testing.T) {
	err := Check(mlirtest.Parse(t, mlirtest.Context(t), same(contract.TargetResultSharding)), Options{})
	check.Error(t, err, `the target "xla.sdy.FuncResultSharding" needs mhlo.frontend_attributes`)
}

// Targets that XLA seems to have but does not.
func TestNoTargets(t *testing.T) {
	for _, target := range []string{"mhlo.sqrt", "mhlo.bessel_i1e", "shape_assertion", "Cholesky", "PartialReduce"} {
		if contract.XLATargetOf(target) >= contract.XLAPartitioned {
			t.Errorf("%s is in the table", target)
		}
		plugin, err := bridge.Open(bridge.OpenOptions{})
		check.NoError(t, err)
		client, err := plugin.NewClient(bridge.ClientOptions{})
		check.NoError(t, err)
		if _, err := client.Compile(context.Background(), bridge.Source(same(target)), engine.CompileOptions{}); err ==
			nil {
			t.Errorf("the plugin compiles %s: add it to the table", target)
		}
		client.Close()
	}
}

// TestFeeds holds that outfeeds and infeeds are found, if something calls them.
func TestFeeds(t *testing.T) {
	const feed = `  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.outfeed"(%x, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
`
	err := Check(mlirtest.Parse(t, mlirtest.Context(t), "func.func @main(%x: tensor<4xf32>) {\n"+feed), Options{})
	check.Error(t, err, "test.mlir:3:8: the stablehlo.outfeed would wait forever, because nothing is at its other end: make a callback of it with passes.Migrate")
	check.Diff(t, "kind", Feed, check.As[*Error](t, err).Problems[0].Kind)
	check.NoError(t, Check(mlirtest.Parse(t, mlirtest.Context(t),
		"func.func private @feed(%x: tensor<4xf32>) {\n"+feed+"func.func @main() {\n  return\n}\n"), Options{}))
}
