package passes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// shorthand expands !t, and out(operands) and in(token, type), in a module.
var shorthand = strings.NewReplacer(
	"!t", "!stablehlo.token",
	"TOKEN", "stablehlo.create_token : !stablehlo.token",
	"FLAG0", "stablehlo.constant dense<0> : tensor<ui16>",
	"FLAG1", "stablehlo.constant dense<1> : tensor<ui16>",
	"FLAG2", "stablehlo.constant dense<2> : tensor<ui16>",
	"OUTF", `"stablehlo.outfeed"`,
	"INF", `"stablehlo.infeed"`,
	"(FLAG)", "(tensor<ui16>, !stablehlo.token) -> !stablehlo.token",
	"(V)", "(tensor<4xf32>, !stablehlo.token) -> !stablehlo.token",
	"(RECEIVED)", "(!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)",
	"V4", "tensor<4xf32>",
)

// outline returns the callbacks of a module in the order of its text, with the types of their
// data. It is an error if one has no token.
func outline(t *testing.T, m *mlir.Module) []string {
	t.Helper()
	list := []string{}
	for call := range callop.Calls(m) {
		if call.Err != nil {
			t.Error(call.Err)
			continue
		}
		if call.Config.NumTokens != 1 {
			t.Errorf("callback %q has %d tokens", call.Config.Name(), call.Config.NumTokens)
		}
		text := call.Config.Name() + "("
		for i := range call.Op.NumOperands() - 1 {
			if i > 0 {
				text += ", "
			}
			text += call.Op.Operand(i).Type().String()
		}
		text += ")"
		for i := range call.Op.NumResults() - 1 {
			text += " " + call.Op.Result(i).Type().String()
		}
		list = append(list, strings.NewReplacer("tensor<", "", ">", "").Replace(text))
	}
	return list
}

// kept are the rules whose notes are about what Migrate keeps: a hook in a loop stays there, and a
// callback that is bound by an id keeps it, and tuples stay.
var kept = []*lint.Analyzer{rules.CallbackInLoop, rules.CallbackBinding, rules.DeprecatedOp}

// clean checks that a migrated module has no token of XLA and that the linter finds nothing.
func clean(t *testing.T, m *mlir.Module) {
	t.Helper()
	text := m.String()
	for _, gone := range []string{"stablehlo.token", "create_token", "outfeed\"(", "infeed\"(", "calliope.waiting"} {
		if strings.Contains(text, gone) {
			t.Errorf("the module still has %q:\n%s", gone, text)
		}
	}
	others := slices.DeleteFunc(rules.All(), func(a *lint.Analyzer) bool { return slices.Contains(kept, a) })
	for _, d := range check.Must(
		lint.Check(m.Context().Library(), "m.mlir", []byte(text), lint.Options{Analyzers: others})) {
		t.Errorf("%v\n%s", d, text)
	}
}

// TestMigrateShapes migrates one module for each shape of old host calls.
func TestMigrateShapes(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string // the callbacks
		main string   // the type of @main, "" for (V4) -> V4
	}{
		"a plain outfeed": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %u = OUTF(%x, %t) : (V)
  return %x : V4 }`, want: []string{"outfeed_0(4xf32)"}},
		"several values in one outfeed": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %c = FLAG2
  %s = OUTF(%c, %t) : (FLAG)
  %u = OUTF(%x, %x, %s) : (V4, V4, !t) -> !t
  %v = OUTF(%x, %u) : (V)
  return %x : V4 }`, want: []string{"hook_2(4xf32, 4xf32, 4xf32)"}},
		"nothing in an outfeed": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %u = OUTF(%t) : (!t) -> !t
  return %x : V4 }`, want: []string{"outfeed_0()"}},
		"a hook without values": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %c = FLAG1
  %z = FLAG0
  %u = OUTF(%c, %t) : (FLAG)
  %v = OUTF(%z, %u) : (FLAG)
  return %x : V4 }`, want: []string{"hook_1()"}},
		"a value that looks like a flag": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %c = FLAG1
  %z = FLAG0
  %u = OUTF(%c, %t) : (FLAG)
  %v = OUTF(%z, %u) : (FLAG)
  %w = OUTF(%x, %v) : (V)
  %e = OUTF(%z, %w) : (FLAG)
  return %x : V4 }`, want: []string{"hook_1(ui16, 4xf32)"}},
		"host_callback": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %c = stablehlo.constant dense<[271828, 7]> : tensor<2xui32>
  %s = stablehlo.constant dense<[271828, 0]> : tensor<2xui32>
  %u = OUTF(%c, %t) : (tensor<2xui32>, !t) -> !t
  %v = OUTF(%x, %c, %u) : (V4, tensor<2xui32>, !t) -> !t
  %i:2 = INF(%v) : (RECEIVED)
  %w = OUTF(%x, %i#1) : (V)
  %e = OUTF(%s, %w) : (tensor<2xui32>, !t) -> !t
  return %i#0 : V4 }`, want: []string{"hook_7(4xf32, 2xui32)", "infeed_0() 4xf32", "outfeed_0(4xf32)"}},
		"infeeds with and without flags": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %c = FLAG1
  %a:2 = INF(%t) : (RECEIVED)
  %u = OUTF(%c, %a#1) : (FLAG)
  %b:2 = INF(%u) : (RECEIVED)
  %d:2 = INF(%b#1) : (RECEIVED)
  return %d#0 : V4 }`, want: []string{"infeed_0() 4xf32", "infeed_1() 4xf32", "infeed_2() 4xf32"}},
		"tokens in tuples": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %only = stablehlo.tuple %t, %t : tuple<!t, !t>
  %p = stablehlo.tuple %only, %x, %t : tuple<tuple<!t, !t>, V4, !t>
  %q = func.call @f(%p) : (tuple<tuple<!t, !t>, V4, !t>) -> tuple<!t, V4>
  %v = stablehlo.get_tuple_element %q[1] : (tuple<!t, V4>) -> V4
  %u = stablehlo.get_tuple_element %q[0] : (tuple<!t, V4>) -> !t
  %w = OUTF(%v, %u) : (V)
  return %v : V4 }
func.func private @f(%p: tuple<tuple<!t, !t>, V4, !t>) -> tuple<!t, V4> {
  %o = stablehlo.get_tuple_element %p[0] : (tuple<tuple<!t, !t>, V4, !t>) -> tuple<!t, !t>
  %t = stablehlo.get_tuple_element %o[1] : (tuple<!t, !t>) -> !t
  %v = stablehlo.get_tuple_element %p[1] : (tuple<tuple<!t, !t>, V4, !t>) -> V4
  %u = OUTF(%v, %t) : (V)
  %r = stablehlo.tuple %u, %v : tuple<!t, V4>
  return %r : tuple<!t, V4> }`, want: []string{"outfeed_0(4xf32)", "outfeed_1(4xf32)"}},
		"if, case and barriers": {text: `func.func @main(%x: V4, %p: tensor<i1>, %n: tensor<i32>) -> V4 {
  %t = TOKEN
  %u, %y = stablehlo.optimization_barrier %t, %x : !t, V4
  %a = "stablehlo.if"(%p) ({
    %b = OUTF(%y, %u) : (V)
    stablehlo.return %b : !t
  }, {
    stablehlo.return %u : !t
  }) : (tensor<i1>) -> !t
  %d:2 = "stablehlo.case"(%n) ({
    stablehlo.return %y, %a : V4, !t
  }, {
    %i:2 = INF(%a) : (RECEIVED)
    stablehlo.return %i#0, %i#1 : V4, !t
  }) : (tensor<i32>) -> (V4, !t)
  %j = stablehlo.after_all %d#1, %t : !t
  %e = OUTF(%d#0, %j) : (V)
  return %d#0 : V4 }`, want: []string{"outfeed_0(4xf32)", "infeed_0() 4xf32", "outfeed_1(4xf32)"}, main: "(tensor<4xf32>, tensor<i1>, tensor<i32>) -> tensor<4xf32>"},
		"functions, and tokens in signatures": {
			text: `func.func public @main(%t: !t {jax.token = true}, %x: V4 {jax.arg_info = "x"}, %pid: tensor<8xui8>) -> (V4 {jax.result_info = "y"}, !t {jax.token = true}) {
  %a:2 = func.call @f(%x, %t) : (V4, !t) -> (V4, !t)
  %b:2 = func.call @f(%a#0, %a#1) : (V4, !t) -> (V4, !t)
  return %b#0, %b#1 : V4, !t }
func.func private @f(%x: V4, %t: !t) -> (V4, !t) {
  %c = FLAG1
  %u = OUTF(%c, %t) : (FLAG)
  %v = OUTF(%x, %u) : (V)
  %y = stablehlo.negate %x : V4
  return %y, %v : V4, !t }`, want: []string{"hook_1(4xf32)"}, main: "(tensor<4xf32>, tensor<8xui8>) -> tensor<4xf32>"},
		"tuples in the signature of main": {text: `func.func @main(%q: tuple<V4, tuple<!t, V4>>) -> tuple<V4, !t> {
  %p = stablehlo.get_tuple_element %q[1] : (tuple<V4, tuple<!t, V4>>) -> tuple<!t, V4>
  %t = stablehlo.get_tuple_element %p[0] : (tuple<!t, V4>) -> !t
  %x = stablehlo.get_tuple_element %p[1] : (tuple<!t, V4>) -> V4
  %u = OUTF(%x, %t) : (V)
  %r = stablehlo.tuple %x, %u : tuple<V4, !t>
  return %r : tuple<V4, !t> }`, want: []string{"outfeed_0(4xf32)"}, main: "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"},
		"a condition": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %r = stablehlo.while(%i = %x) : V4 cond {
    %u = OUTF(%i, %t) : (V)
    %i2:2 = INF(%u) : (!t) -> (tensor<i1>, !t)
    stablehlo.return %i2#0 : tensor<i1>
  } do {
    stablehlo.return %i : V4
  }
  return %r : V4 }`, want: []string{"outfeed_0(4xf32)", "infeed_0() i1", "outfeed_0(4xf32)", "infeed_0() i1"}},
		"unordered calls": {text: `func.func @main(%x: V4) -> V4 {
  stablehlo.custom_call @tell(%x) {has_side_effect = true, api_version = 4 : i32, backend_config = {}} : (V4) -> ()
  %a = stablehlo.custom_call @change(%x) {has_side_effect = true, backend_config = ""} : (V4) -> V4
  %b = stablehlo.custom_call @pass(%a) {has_side_effect = true, api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (V4) -> V4
  %c = stablehlo.custom_call @calliope_io_callback(%b) {has_side_effect = true, api_version = 4 : i32, backend_config = {v = 1 : i64, form = "passthrough", callback = "mine"}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (V4) -> V4
  %d = stablehlo.custom_call @calliope_io_callback(%c) {has_side_effect = true, api_version = 4 : i32, backend_config = {v = 1 : i64, form = "observe", callback_id = 3 : i64}} : (V4) -> tensor<1xi8>
  %e = stablehlo.custom_call @annotate_device_placement(%c) {has_side_effect = true} : (V4) -> V4
  return %e : V4 }`, want: []string{"tell(4xf32)", "change(4xf32) 4xf32", "pass(4xf32) 4xf32", "mine(4xf32) 4xf32", "id 3(4xf32)"}},
		"dead tokens": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %u = stablehlo.after_all %t, %t : !t
  return %x : V4 }`, want: []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			text := shorthand.Replace(test.text)
			m := parse(t, text)
			result, err := passes.Migrate(m, passes.MigrateOptions{})
			if err != nil {
				t.Fatalf("%v\n%s", err, m)
			}
			if len(result.Skipped) > 0 {
				t.Errorf("left: %v", result.Skipped)
			}
			clean(t, m)
			check.Diff(t, "callbacks", test.want, outline(t, m))
			want := test.main
			if want == "" {
				want = "(tensor<4xf32>) -> tensor<4xf32>"
			}
			for _, f := range mlirtest.Find(m, "func.func") {
				if name, _ := f.Symbol(); name == "main" {
					a, _ := f.Attribute("function_type")
					check.Diff(t, "the type of @main", want, a.String())
				}
			}
			// What was migrated has nothing more to migrate.
			after := m.String()
			again, err := passes.Migrate(m, passes.MigrateOptions{})
			check.Diff(t, "a second migration", fmt.Sprint(passes.MigrateResult{}, nil), fmt.Sprint(again, err))
			check.Diff(t, "the module after a second migration", after, m.String())
		})
	}
}
