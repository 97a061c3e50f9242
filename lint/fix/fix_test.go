package fix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/fix"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/stablehlo"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// wants reports operations that have an attribute want_…, and repairs them.
func wants() *lint.Analyzer {
	return &lint.Analyzer{Name: "wants", Doc: "d", Run: func(p *lint.Pass) error {
		for op := range p.Module.Operation().All() {
			report := func(f finding.Fix) { p.ReportFix(op, finding.Warning, f, "%s", f.Message) }
			if call, ok := stablehlo.AsCustomCall(op); ok && call.Target == "effect" {
				if !call.HasSideEffect {
					report(finding.Fix{Message: "add has_side_effect",
						Set: map[string]string{"has_side_effect": "true"}})
				}
			}
			if call, ok := stablehlo.AsCustomCall(op); ok && call.Target == "alias" && len(call.Aliases) == 0 {
				report(finding.Fix{Message: "add aliases", Set: map[string]string{"output_operand_aliases": alias}})
			}
			if config, ok := op.Attribute("mhlo.backend_config"); ok {
				report(finding.Fix{Message: "respell", Set: map[string]string{"api_version": "4 : i32",
					"backend_config": config.String()}, Remove: []string{"mhlo.backend_config"}})
			}
			if _, ok := op.Attribute("x.old"); ok {
				report(finding.Fix{Message: "respell", Set: map[string]string{"x.new": `"a, }"`, "x.unit": "unit",
					"0 odd": "1 : i8"}, Remove: []string{"x.old"}})
			}
			if _, ok := op.Attribute("x.drop"); ok {
				report(finding.Fix{Message: "drop", Remove: []string{"x.drop"}})
			}
			if op.Name() == "stablehlo.create_token" && !op.Result(0).HasUses() {
				report(finding.Fix{Message: "remove", Erase: true})
			}
		}
		return nil
	}}
}

const alias = "[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]"

func apply(t *testing.T, data string) fix.Result {
	t.Helper()
	r, err := fix.Apply(mlirtest.LibraryFor(t, []byte(data)), "f", []byte(data),
		fix.Options{Options: lint.Options{Analyzers: []*lint.Analyzer{wants()}}, Texts: true})
	check.NoError(t, err)
	return r
}

// Local repairs of text leave the rest of it as it was.
func TestText(t *testing.T) {
	const type1 = `(tensor<f32>) -> tensor<f32>`
	inside := func(line string) string {
		return "// top\n\nmodule @m {\n  // before\n  func.func @f(%x: tensor<f32>, %v: tensor<2xf32>) -> tensor<f32> {\n" + line + "\n    // after\n    return %x : tensor<f32> // end\n  }\n}\n// bottom"
	}
	tests := []struct{ name, before, after string }{
		{"custom, no dictionary", `    %y = stablehlo.custom_call @effect(%x) : ` + type1 + ` // why`,
			`    %y = stablehlo.custom_call @effect(%x) {has_side_effect = true} : ` + type1 + ` // why`},
		{"custom, empty dictionary", `%y = stablehlo.custom_call @effect(%x) { } : ` + type1,
			`%y = stablehlo.custom_call @effect(%x) {has_side_effect = true} : ` + type1},
		{"custom, replaced", `%y = stablehlo.custom_call @effect(%x) {a = 1 : i32, has_side_effect  =  false, b} : ` +
			type1, `%y = stablehlo.custom_call @effect(%x) {a = 1 : i32, has_side_effect  =  true, b} : ` + type1},
		{"custom, added", `%y = stablehlo.custom_call @effect(%x) {backend_config = "}"} : ` + type1,
			`%y = stablehlo.custom_call @effect(%x) {backend_config = "}", has_side_effect = true} : ` + type1},
		{"generic, none", `%y = "stablehlo.custom_call"(%x) <{call_target_name = "effect"}> : ` + type1, `%y = "stablehlo.custom_call"(%x) <{call_target_name = "effect", has_side_effect = true}> : ` + type1},
		{"generic, old dictionary", `%y = "stablehlo.custom_call"(%x) {call_target_name = "effect"} : ` + type1,
			`%y = "stablehlo.custom_call"(%x) {call_target_name = "effect", has_side_effect = true} : ` + type1},
		{"generic, two dictionaries", `%y = "stablehlo.custom_call"(%x) <{call_target_name = "effect"}> {x.old = 1 : i32} : ` + type1, `%y = "stablehlo.custom_call"(%x) <{call_target_name = "effect", has_side_effect = true}> {"0 odd" = 1 : i8, x.new = "a, }", x.unit} : ` + type1},
		{"generic, discardable", `%y = "stablehlo.add"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>`, ``},
		{"removed last", `%y = stablehlo.negate %x {x.keep, x.drop} : tensor<f32>`,
			`%y = stablehlo.negate %x {x.keep} : tensor<f32>`},
		{"removed first", `%y = stablehlo.negate %x {x.drop = [1, 2],   x.keep} : tensor<f32>`,
			`%y = stablehlo.negate %x {x.keep} : tensor<f32>`},
		{"removed all", `%y = stablehlo.negate %x {x.drop} : tensor<f32>`, `%y = stablehlo.negate %x : tensor<f32>`},
		{"removed and added", `%y = stablehlo.negate %x {x.keep, x.drop, x.old} : tensor<f32>`,
			`%y = stablehlo.negate %x {x.keep, "0 odd" = 1 : i8, x.new = "a, }", x.unit} : tensor<f32>`},
		{"over lines", "%y = stablehlo.negate\n  %x {\n // one\n x.drop, // two\n x.keep // three\n} : tensor<f32>",
			"%y = stablehlo.negate\n  %x {\n // one\n x.keep // three\n} : tensor<f32>"},
		{"several on a line",
			`%a = stablehlo.create_token : !stablehlo.token %y = stablehlo.custom_call @effect(%x) : ` + type1 + ` %z = stablehlo.custom_call @effect(%y) : ` + type1 + ` %b = stablehlo.create_token : !stablehlo.token`,
			`%y = stablehlo.custom_call @effect(%x) {has_side_effect = true} : ` + type1 +
				` %z = stablehlo.custom_call @effect(%y) {has_side_effect = true} : ` + type1 + ` `},
		{"aliases", `%y = stablehlo.custom_call @alias(%x) {output_operand_aliases = []} : ` + type1,
			`%y = stablehlo.custom_call @alias(%x) {output_operand_aliases = ` + alias + `} : ` + type1},
		{"aliases, generic", `%y = "stablehlo.custom_call"(%x) <{call_target_name = "alias"}> {x.a} : ` + type1,
			`%y = "stablehlo.custom_call"(%x) <{call_target_name = "alias", output_operand_aliases = ` + alias + `}> {x.a} : ` + type1},
		{"JAX", `%y = stablehlo.custom_call @jax(%x) {mhlo.backend_config = {index = 1 : i64}, backend_config = "", has_side_effect = true} : ` + type1, `%y = stablehlo.custom_call @jax(%x) {backend_config = {index = 1 : i64}, has_side_effect = true, api_version = 4 : i32} : ` + type1},
		{"JAX, generic", `%y = "stablehlo.custom_call"(%x) <{api_version = 1 : i32, backend_config = "", call_target_name = "jax"}> {mhlo.backend_config = {index = 1 : i64}} : ` + type1, `%y = "stablehlo.custom_call"(%x) <{api_version = 4 : i32, backend_config = {index = 1 : i64}, call_target_name = "jax"}> : ` + type1},
		{"erased line", "    // one\n    %a = stablehlo.create_token : !stablehlo.token\n    // two",
			"    // one\n    // two"},
		{"erased before a reduction", "    %a = stablehlo.create_token : !stablehlo.token\n    %r = stablehlo.reduce(%v init: %x) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32> // r", "    %r = stablehlo.reduce(%v init: %x) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32> // r"},
		{"erased before a comment", "    %a = stablehlo.create_token : !stablehlo.token // one", "    // one"},
		{"erased generic", "\t%a = \"stablehlo.create_token\"() : () -> !stablehlo.token ", ""},
		{"location", `%y = stablehlo.custom_call @effect(%x) : ` + type1 + ` loc("there":9:9)`,
			`%y = stablehlo.custom_call @effect(%x) {has_side_effect = true} : ` + type1 + ` loc("there":9:9)`},
		{"location at the end",
			`%y = "stablehlo.custom_call"(%x) {call_target_name = "effect"} : ` + type1 + ` loc(fused["a", callsite("b" at unknown)])`, `%y = "stablehlo.custom_call"(%x) {call_target_name = "effect", has_side_effect = true} : ` + type1 + ` loc(fused["a", callsite("b" at unknown)])`},
		{"two results", `%y:2 = stablehlo.custom_call @effect(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)`, `%y:2 = stablehlo.custom_call @effect(%x) {has_side_effect = true} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)`},
		{"in a region", "%t = stablehlo.constant dense<true> : tensor<i1>\n%y = \"stablehlo.if\"(%t) ({\n stablehlo.custom_call @effect(%x) : (tensor<f32>) -> ()\n stablehlo.return %x : tensor<f32> }, { stablehlo.return %x : tensor<f32> }) {x.drop} : (tensor<i1>) -> tensor<f32>",
			"%t = stablehlo.constant dense<true> : tensor<i1>\n%y = \"stablehlo.if\"(%t) ({\n stablehlo.custom_call @effect(%x) {has_side_effect = true} : (tensor<f32>) -> ()\n stablehlo.return %x : tensor<f32> }, { stablehlo.return %x : tensor<f32> }) : (tensor<i1>) -> tensor<f32>"},
	}
	for _, test := range tests {
		for _, crlf := range []bool{false, true} {
			before, after := inside(test.before), inside(test.after)
			if test.after == "" {
				after = strings.Replace(after, "\n\n    // after", "\n    // after", 1)
			}
			if test.name == "generic, discardable" {
				after = before
			}
			name := test.name
			if crlf {
				before, after, name = strings.ReplaceAll(before, "\n", "\r\n"), strings.ReplaceAll(after, "\n", "\r\n"),
					name+", CRLF"
			}
			t.Run(name, func(t *testing.T) {
				r := apply(t, before)
				check.Diff(t, "text", after, string(r.Data))
				check.Diff(t, "printed anew", "", r.Anew)
				check.Diff(t, "changed", before != after, r.Changed)
				check.Diff(t, "left", 0, len(r.Left)+len(r.Found))
			})
		}
	}
}

// A text that the library refuses is repaired in place, too.
func TestRefused(t *testing.T) {
	const text = `func.func @f(%x: tensor<f32>) { // one
  %y:2 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<f32>) -> (tensor<2xf32>, tensor<f32>) // two
  return
}
`
	r := mend(t, []byte(text), rules.All()...)
	check.Diff(t, "text", strings.Replace(text, "indices = []", "indices = [1]", 1), string(r.Data))
	check.Diff(t, "left and printed anew", 0, len(r.Left)+len(r.Anew))
}
