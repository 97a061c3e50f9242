package passes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

const (
	// The types of the parameter and of the result in XLA's document.
	tupled = "tuple<tensor<32xf32>, tuple<tensor<64xf32>, tensor<128xf32>>, tensor<256xf32>>"
	pair   = "tuple<tensor<512xf32>, tensor<1024xf32>>"
)

func TestReplaceLegacy(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"version 0", `%0 = stablehlo.custom_call @f(%x) {api_version = 0 : i32} : (tensor<4xf32>) -> tensor<4xf32>`,
			`%0 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {callback = "f", form = "pure", legacy = 1 : i64, registry = "legacy", v = 2 : i64}, has_side_effect = false} : (tensor<4xf32>) -> tensor<4xf32>`},
		{"version 1, which is the default", `stablehlo.custom_call @f(%x) {has_side_effect = true, backend_config = ""} : (tensor<4xf32>) -> ()`,
			`stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {callback = "f", form = "call", legacy = 1 : i64, registry = "legacy", v = 2 : i64}, has_side_effect = true} : (tensor<4xf32>) -> ()`},
		{"version 2, with a layout", `%0 = stablehlo.custom_call @f(%x) {api_version = 2 : i32, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>`,
			`%0 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {callback = "f", form = "pure", legacy = 2 : i64, registry = "legacy", v = 2 : i64}, has_side_effect = false, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>`},
		{"version 3, with bytes and other attributes", `%0 = stablehlo.custom_call @f(%x) {api_version = 3 : i32, backend_config = "a\00\FF", called_computations = [@main], mhlo.frontend_attributes = {a = "b"}} : (tensor<4xf32>) -> tensor<4xf32>`,
			`%0 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {callback = "f", form = "pure", legacy = 3 : i64, legacy_opaque = "6100ff", registry = "legacy", v = 2 : i64}, called_computations = [@main], has_side_effect = false, mhlo.frontend_attributes = {a = "b"}} : (tensor<4xf32>) -> tensor<4xf32>`},
		{"layouts of a tuple", `%0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4xf32>) -> tuple<tensor<2x3xf32>>`,
			`%0 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {callback = "f", form = "pure", legacy = 1 : i64, legacy_tuples = ".->(.)", registry = "legacy", v = 2 : i64}, has_side_effect = false, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4xf32>) -> tensor<2x3xf32>`},
		{"an alias", `%0:2 = stablehlo.custom_call @f(%x, %s) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<3xui8>) -> (tensor<i64>, tensor<4xf32>)`,
			`%0:2 = stablehlo.custom_call @calliope_runtime_call(%x, %s) {api_version = 4 : i32, backend_config = {callback = "f", form = "pure", legacy = 1 : i64, registry = "legacy", v = 2 : i64}, has_side_effect = false, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<3xui8>) -> (tensor<i64>, tensor<4xf32>)`},
		{"JAX's spelling", `%0 = stablehlo.custom_call @f(%x) {backend_config = "", mhlo.backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>`,
			`%0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>`},
		{"a typed call", `%0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>`, "same"},
		{"a target of XLA", `%0 = stablehlo.custom_call @Sharding(%x) {backend_config = ""} : (tensor<4xf32>) -> tensor<4xf32>`, "same"},
		{"a target that XLA replaces", `%0:2 = stablehlo.custom_call @TopK(%x) {api_version = 1 : i32} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)`, "same"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, inMain(test.body))
			before := printed(m)
			_, err := passes.ReplaceLegacy(m, passes.LegacyOptions{})
			check.NoError(t, err)
			got := printed(m)
			if test.want == "same" {
				check.Diff(t, "module", before, got)
				return
			}
			check.Diff(t, "module", printed(parse(t, inMain(test.want))), got)
		})
	}
}

// Operands that are tuples become their arrays, as do the parameters of @main, and the elements of results
// stand for the results. Aliases are of the arrays.
func TestReplaceLegacyTuples(t *testing.T) {
	alias := func(out, in string) string {
		return fmt.Sprintf("#stablehlo.output_operand_alias<output_tuple_indices = [%s], operand_index = 0, operand_tuple_indices = [%s]>", out, in)
	}
	m := parse(t, `func.func @main(%p0: `+tupled+`) -> tensor<512xf32> {
  %0 = stablehlo.custom_call @f(%p0) : (`+tupled+`) -> `+pair+`
  %1 = stablehlo.get_tuple_element %0[0] : (`+pair+`) -> tensor<512xf32>
  return %1 : tensor<512xf32>
}`)
	result, err := passes.ReplaceLegacy(m, passes.LegacyOptions{})
	check.NoError(t, err)
	check.Diff(t, "tuples", "(.,(.,.),.)->(.,.)", result.Calls[0].Tuples)
	check.Diff(t, "module",
		printed(parse(t,
			`func.func @main(%a: tensor<32xf32>, %b: tensor<64xf32>, %c: tensor<128xf32>, %d: tensor<256xf32>) -> tensor<512xf32> {
  %0:2 = stablehlo.custom_call @calliope_runtime_call(%a, %b, %c, %d) {api_version = 4 : i32, backend_config = {callback = "f", form = "pure", legacy = 1 : i64, legacy_tuples = "(.,(.,.),.)->(.,.)", registry = "legacy", v = 2 : i64}, has_side_effect = false} : (tensor<32xf32>, tensor<64xf32>, tensor<128xf32>, tensor<256xf32>) -> (tensor<512xf32>, tensor<1024xf32>)
  return %0#0 : tensor<512xf32>
}`)), printed(m))

	for _, test := range []struct{ name, alias, result, want string }{
		{"of an array", alias("0", "1, 1"), "tuple<tensor<128xf32>, tensor<4xf32>>", "[0] 2"},
		{"of a tuple", alias("1", "1"), "tuple<tensor<4xf32>, tuple<tensor<64xf32>, tensor<128xf32>>>", "[1] 1, [2] 2"},
		{"of the only array", alias("0", "2"), "tuple<tensor<256xf32>>", "[] 3"},
		{"of the whole result", alias("", "1"), "tuple<tensor<64xf32>, tensor<128xf32>>", "[0] 1, [1] 2"},
	} {
		t.Run("alias "+test.name, func(t *testing.T) {
			m := parse(t, `func.func @f(%p0: `+tupled+`) -> `+test.result+` {
  %0 = stablehlo.custom_call @f(%p0) {output_operand_aliases = [`+test.alias+`]} : (`+tupled+`) -> `+test.result+`
  return %0 : `+test.result+`
}`)
			_, err := passes.ReplaceLegacy(m, passes.LegacyOptions{})
			check.NoError(t, err)
			var got []string
			for op := range m.Operation().All() {
				if op.Name() == "stablehlo.custom_call" {
					a, _ := op.Attribute("output_operand_aliases")
					elements, _ := a.Elements()
					for _, e := range elements {
						text := e.String()
						text = strings.NewReplacer("#stablehlo.output_operand_alias<output_tuple_indices = ", "",
							", operand_index =", "", ", operand_tuple_indices = []>", "").Replace(text)
						got = append(got, text)
					}
				}
			}
			check.Diff(t, "aliases", test.want, strings.Join(got, ", "))
		})
	}
}

func printed(m *mlir.Module) string { return m.Operation().Print(mlir.PrintOptions{}) }

// A tuple that is used as a whole is made again.
func TestReplaceLegacyKeepsTuples(t *testing.T) {
	nested := "tuple<tensor<f32>, tuple<tensor<i32>>>"
	m := parse(t, `func.func @f(%x: tensor<f32>) -> (`+nested+`, tensor<i32>) {
  %0 = stablehlo.custom_call @f(%x) : (tensor<f32>) -> `+nested+`
  %1 = stablehlo.get_tuple_element %0[1] : (`+nested+`) -> tuple<tensor<i32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<i32>>) -> tensor<i32>
  return %0, %2 : `+nested+`, tensor<i32>
}`)
	_, err := passes.ReplaceLegacy(m, passes.LegacyOptions{Registry: "r"})
	check.NoError(t, err)
	check.Diff(t, "module", printed(parse(t, `func.func @f(%x: tensor<f32>) -> (`+nested+`, tensor<i32>) {
  %0:2 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {callback = "f", form = "pure", legacy = 1 : i64, legacy_tuples = ".->(.,(.))", registry = "r", v = 2 : i64}, has_side_effect = false} : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  %1 = stablehlo.tuple %0#1 : tuple<tensor<i32>>
  %2 = stablehlo.tuple %0#0, %1 : `+nested+`
  return %2, %0#1 : `+nested+`, tensor<i32>
}`)), printed(m))
}

// Calls that cannot be replaced stay, each with its reason.
func TestReplaceLegacyLeaves(t *testing.T) {
	for _, test := range []struct{ call, reason string }{
		{`%0 = stablehlo.custom_call @f(%m) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>`, "operand 0, tensor<2x3xf32>, the layout [0 1] (minor to major)"},
		{`%0 = stablehlo.custom_call @f(%m, %t) {api_version = 2 : i32} : (tensor<2x3xf32>, !stablehlo.token) -> tensor<2x3xf32>`, "operand 1 is !stablehlo.token, not an array"},
		{`%0 = stablehlo.custom_call @f(%m) {api_version = 2 : i32} : (tensor<2x3xf32>) -> tuple<tensor<f32>, !stablehlo.token>`, "result 0, element 1 is !stablehlo.token, not an array"},
		{`%0 = stablehlo.custom_call @f(%m) : (tensor<2x3xf32>) -> tensor<2xi4>`,
			"result 0 is tensor<2xi4>: elements of less than a byte are not supported"},
		{`%0 = stablehlo.custom_call @f(%m) {backend_config = "a", mhlo.backend_config = {}} : (tensor<2x3xf32>) -> tensor<f32>`, "a string in backend_config and {} in mhlo.backend_config"},
		{`%0 = stablehlo.custom_call @f(%m) {mhlo.sharding = "{replicated}"} : (tensor<2x3xf32>) -> tuple<tensor<f32>>`, "its result is a tuple with mhlo.sharding: return several results instead"},
	} {
		m := parse(t, `func.func @f(%m: tensor<2x3xf32>, %t: !stablehlo.token) {`+"\n"+test.call+"\nreturn\n}")
		before := printed(m)
		result, err := passes.ReplaceLegacy(m, passes.LegacyOptions{})
		check.NoError(t, err)
		check.Diff(t, "module", before, printed(m))
		if len(result.Skipped) != 1 || len(result.Calls) > 0 ||
			!strings.Contains(result.Skipped[0].Reason, test.reason) {
			t.Errorf("%s: left %v, want %s", test.call, result.Skipped, test.reason)
		}
		for op := range m.Operation().All() {
			if call, ok := passes.AsLegacyCall(op); ok {
				check.Error(t, call.Unsupported, test.reason)
			}
		}
	}
}

// mhlo.custom_call becomes stablehlo.custom_call, in libraries with the dialect mhlo and without.
func TestReplaceLegacyMHLO(t *testing.T) {
	libraries := map[string]*mlir.Library{"without mhlo": mlirtest.Library(t), "with mhlo": mlirtest.Jaxlib(t)}
	for name, library := range libraries {
		t.Run(name, func(t *testing.T) {
			c := mlirtest.ContextOf(t, library)
			c.SetAllowUnregistered(true)
			m := mlirtest.Parse(t, c, `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "mhlo.custom_call"(%x) {api_version = 2 : i32, backend_config = "a", call_target_name = "f", has_side_effect = true,
    operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>], called_computations = [],
    output_operand_aliases = [#mhlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`)
			result, err := passes.ReplaceLegacy(m, passes.LegacyOptions{})
			check.NoError(t, err)
			check.Diff(t, "left", []passes.Skipped(nil), result.Skipped)
			check.Diff(t, "operations", []string{"mhlo.custom_call"}, []string{result.Calls[0].Operation})
			check.Diff(t, "module", printed(mlirtest.Parse(t, c, `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {callback = "f", form = "call", legacy = 2 : i64, legacy_opaque = "61", registry = "legacy", v = 2 : i64},
    operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`)), printed(m))
		})
	}
}

// With KeepSpelling, typed calls stay as they are.
func TestReplaceLegacyKeepSpelling(t *testing.T) {
	m := parse(t, inMain(`%0 = stablehlo.custom_call @f(%x) {backend_config = "", mhlo.backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>`))
	before := printed(m)
	_, err := passes.ReplaceLegacy(m, passes.LegacyOptions{KeepSpelling: true})
	check.NoError(t, err)
	check.Diff(t, "module", before, printed(m))
}

// Callback selects the calls, and names the functions.
func TestReplaceLegacyCallback(t *testing.T) {
	m := parse(t, inMain(`%0 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
%1 = stablehlo.custom_call @g(%x) {api_version = 3 : i32, backend_config = "o"} : (tensor<4xf32>) -> tensor<4xf32>`))
	result, err := passes.ReplaceLegacy(m, passes.LegacyOptions{Callback: func(c passes.LegacyCall) string {
		if c.Target != "g" {
			return ""
		}
		return c.Target + c.Opaque + fmt.Sprint(c.Version)
	}})
	check.NoError(t, err)
	check.Diff(t, "calls", []string{"g"}, []string{result.Calls[0].Target})
	for _, text := range []string{`custom_call @f(`, `callback = "go3"`} {
		if !strings.Contains(printed(m), text) {
			t.Errorf("the module does not contain %s:\n%s", text, printed(m))
		}
	}
}
