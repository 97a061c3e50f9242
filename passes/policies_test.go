package passes_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

const (
	meshOfTwo = `sdy.mesh @mesh = <["x"=2]>` + "\n"
	// seen is a call of a foreign target with a side effect.
	seen = `%r = stablehlo.custom_call @seen(%x) {api_version = 4 : i32, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>`
)

// oneDevice is the mesh of maximal.
const oneDevice = "sdy.mesh @one = <[], device_ids=[1]>\n"

// maximal is seen with a maximal sharding.
var maximal = strings.ReplaceAll(seen, "has_side", "sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>, has_side")

// observed returns a tap in the contract's form with a policy.
func observed(policy string) string {
	return `%t = stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, ` +
		`backend_config = {v = 1 : i64, form = "observe", callback = "see", policy = "` + policy +
		`"}} : (tensor<4xf32>) -> tensor<1xi8>`
}

func mainOf(lines ...string) string {
	return "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" + strings.Join(lines, "\n") +
		"\nreturn %x : tensor<4xf32>\n}\n"
}

// inManual puts lines that use %x into a manual computation of the mesh.
func inManual(lines ...string) string {
	return `%m = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%y: tensor<4xf32>) {
` + strings.ReplaceAll(strings.Join(lines, "\n"), "(%x)", "(%y)") + "\nsdy.return %y : tensor<4xf32>\n} : (tensor<4xf32>) -> tensor<4xf32>"
}

func shardy(t *testing.T, text string) *mlir.Module {
	t.Helper()
	return mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), text)
}

// ApplyPolicies changes the calls that need it, once.
func TestApplyPolicies(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       int
		contains   []string // of the changed module
	}{
		{"foreign, outside", meshOfTwo + mainOf(seen), 1,
			[]string{"sdy.manual_computation(%arg0)", "stablehlo.partition_id", "all_reduce"}},
		{"default, outside", meshOfTwo + mainOf(observed("")), 1, []string{"sdy.manual_computation(%arg0)"}},
		{"gather", meshOfTwo + mainOf(observed("gather:1")), 1, []string{"dense<1> : tensor<ui32>"}},
		{"in a region", meshOfTwo + mainOf(`%p = stablehlo.constant dense<true> : tensor<i1>`,
			`"stablehlo.if"(%p) ({`, observed("once"), "stablehlo.return", `}, {`, "stablehlo.return",
			`}) : (tensor<i1>) -> ()`), 1, []string{"sdy.manual_computation(%arg0)"}},
		{"of each device", meshOfTwo + mainOf(inManual(observed("per_device"), seen)), 0, nil},
		{"once in a manual computation", meshOfTwo + mainOf(inManual(observed("once"))), 1,
			[]string{"stablehlo.partition_id"}},
		{"without results", meshOfTwo +
			mainOf(`stablehlo.custom_call @seen() {api_version = 4 : i32, has_side_effect = true} : () -> ()`), 1,
			[]string{"sdy.manual_computation(%c)"}},
		{"annotations of XLA", meshOfTwo + mainOf(strings.ReplaceAll(seen, "@seen", "@annotate_device_placement")), 0,
			nil},
		{"callback of JAX", meshOfTwo + oneDevice +
			mainOf(strings.ReplaceAll(maximal, "@seen", "@xla_ffi_python_cpu_callback")), 0, nil},
		{"maximal sharding", meshOfTwo + oneDevice + mainOf(maximal), 1,
			[]string{"sdy.manual_computation(%arg0)", "dense<1> : tensor<ui32>"}},
		{"maximal sharding of XLA", "module attributes {mhlo.num_partitions = 2 : i32} {\n" + mainOf(
			strings.ReplaceAll(seen, "has_side", `mhlo.sharding = "{maximal device=1}", has_side`)) + "}", 0, nil},
		{"pure", meshOfTwo + mainOf(strings.ReplaceAll(seen, "has_side_effect = true", "has_side_effect = false")), 0,
			nil},
		{"function that is not called",
			meshOfTwo + strings.ReplaceAll(mainOf(observed("")), "@main", "private @f") + mainOf(), 0, nil},
		{"one device", strings.ReplaceAll(meshOfTwo, "=2", "=1") + mainOf(seen, observed("")), 0, nil},
		{"replicas, each", mainOf(seen, observed("per_device"), strings.ReplaceAll(observed(""), "%t", "%u")), 0, nil},
		{"replicas, once", mainOf(observed("once:2")), 1, []string{"stablehlo.replica_id", "dense<2> : tensor<ui32>"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := shardy(t, test.text)
			n, err := passes.ApplyPolicies(m)
			check.NoError(t, err)
			check.Diff(t, "changed", test.want, n)
			text := m.String()
			for _, want := range test.contains {
				if !strings.Contains(text, want) {
					t.Errorf("the module lacks %s:\n%s", want, text)
				}
			}
			n, err = passes.ApplyPolicies(m)
			check.NoError(t, err)
			check.Diff(t, "changed again", 0, n)
			check.Diff(t, "module", text, m.String())
		})
	}
}

// Where a policy cannot hold, the error has the reason, and the module stays as it is.
func TestApplyPoliciesRefuses(t *testing.T) {
	both := strings.ReplaceAll(mainOf(observed("once")), "@main", "private @f")
	call := `%c = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>`
	for _, test := range []struct{ name, text, want string }{
		{"unknown policy", mainOf(observed("all")), `callback "see": contract: there is no device policy "all"`},
		{"gather without a mesh", mainOf(observed("gather")),
			"the policy gather needs a module whose arrays a mesh of devices shares"},
		{"device out of range", meshOfTwo + mainOf(observed("once:2")),
			"the policy once:2 names the device 2, but the module has 2 devices, from 0"},
		{"gather of parts", meshOfTwo + mainOf(inManual(observed("gather"))),
			"the policy gather is for calls outside of manual computations"},
		{"each device outside", meshOfTwo + mainOf(observed("per_device")),
			"the policy per_device is for calls inside of a manual computation"},
		{"inside and outside", meshOfTwo + both + mainOf(call, inManual(strings.ReplaceAll(call, "%c", "%d"))),
			"its function is called inside and outside of manual computations"},
		{"shardings of XLA", "module attributes {mhlo.num_partitions = 2 : i32} {\n" + mainOf(seen) + "}",
			"custom call @seen: the module has 2 partitions and no sdy.mesh"},
		{"two numbers of devices",
			"module attributes {mhlo.num_partitions = 4 : i32} {\n" + meshOfTwo + mainOf(seen) + "}",
			`the mesh "mesh" has 2 devices, but mhlo.num_partitions is 4: they must be equal`},
		{"huge mesh", `sdy.mesh @mesh = <["x"=4294967296, "y"=4294967296]>` + "\n" + mainOf(seen),
			"the module is for more than 1048576 devices"},
		{"huge number", "module attributes {mhlo.num_partitions = 2147483647 : i32} {\n" + mainOf(seen) + "}",
			"the module is for more than 1048576 devices"},
		{"token", meshOfTwo + "func.func @main(%x: !stablehlo.token) {\n" +
			`%r = stablehlo.custom_call @seen(%x) {api_version = 4 : i32, has_side_effect = true} : (!stablehlo.token) -> !stablehlo.token` + "\nreturn\n}",
			"it has the type !stablehlo.token, which cannot enter or leave a manual computation"},
		{"dynamic", meshOfTwo + strings.ReplaceAll(mainOf(seen), "4x", "?x"), "it has the type tensor<?xf32>"},
		{"sampled", meshOfTwo + mainOf(strings.ReplaceAll(observed("gather"), "v = 1", "every = 2, v = 1")),
			"cannot be optional, nor sampled with every: use once"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := shardy(t, test.text)
			before := m.String()
			n, err := passes.ApplyPolicies(m)
			check.Error(t, err, test.want)
			check.Diff(t, "changed", 0, n)
			check.Diff(t, "module", before, m.String())
		})
	}
}

// ApplyPolicies gives each device its parts of the operands of a partitioned callback of JAX.
func TestPartsOfOperands(t *testing.T) {
	const call = `stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%v) {mhlo.backend_config = {index = 0 : ui64}, has_side_effect = true} : (tensor<4x6xf32>) -> ()`
	for _, test := range []struct{ name, parameter, line, in, part string }{
		{"of a parameter", `{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}`, "", `<@mesh, [{"x"}, {}]>`, "2x6"},
		{"by two axes", `{sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}`, "", `<@mesh, [{}, {"x", "y"}]>`,
			"4x1"},
		{"of a result", "", `%v = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y", ?}]>]>} : tensor<4x6xf32>`, `<@mesh, [{"x"}, {"y", ?}]>`, "2x2"},
		{"constrained", "", `%v = sdy.sharding_constraint %x <@mesh, [{"x"}, {}]> : tensor<4x6xf32>`,
			`<@mesh, [{"x"}, {}]>`, "2x6"},
		{"not stated", "", "", "<@mesh, [{}, {}]>", "4x6"},
		{"uneven", `{sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}`, "", "<@mesh, [{}, {}]>", "4x6"},
		{"part of an axis", `{sdy.sharding = #sdy.sharding<@finer, [{}, {"z":(1)2}]>}`, "", "<@mesh, [{}, {}]>", "4x6"},
		{"another mesh", `{sdy.sharding = #sdy.sharding<@other, [{"x"}, {}]>}`, "", "<@mesh, [{}, {}]>", "4x6"},
	} {
		t.Run(test.name, func(t *testing.T) {
			called := call
			if test.line == "" {
				called = strings.Replace(call, "%v", "%x", 1)
			}
			m := shardy(t, `sdy.mesh @mesh = <["x"=2, "y"=3]>
sdy.mesh @finer = <["z"=6]>
sdy.mesh @other = <["x"=2]>
func.func @main(%x: tensor<4x6xf32> `+test.parameter+`) {
`+test.line+"\n"+called+`
return
}`)
			n, err := passes.ApplyPolicies(m)
			check.NoError(t, err)
			check.Diff(t, "changed", 1, n)
			for _, want := range []string{"in_shardings=[" + test.in + `] out_shardings=[] manual_axes={"x", "y"}`,
				"(tensor<" + test.part + "xf32>) -> ()"} {
				if !strings.Contains(m.String(), want) {
					t.Errorf("the module lacks %s:\n%s", want, m)
				}
			}
			n, err = passes.ApplyPolicies(m)
			check.NoError(t, err)
			check.Diff(t, "changed again", 0, n)
		})
	}
}
