package passes_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

const (
	tells = `stablehlo.custom_call @tell(%x) {has_side_effect = true} : (tensor<i32>) -> ()`
	// The loop runs never, which only a pass sees.
	never = `func.func @main(%x: tensor<i32>, %p: tensor<i1>) -> tensor<i32> {
%f = stablehlo.constant dense<false> : tensor<i1>
%1:2 = stablehlo.while(%q = %p, %y = %x) : tensor<i1>, tensor<i32> cond {
  %z = stablehlo.and %q, %f : tensor<i1>
  stablehlo.return %z : tensor<i1>
} do {
  %k = stablehlo.custom_call @tell(%y) {has_side_effect = true} : (tensor<i32>) -> tensor<i32>
  stablehlo.return %q, %k : tensor<i1>, tensor<i32>
}
return %1#1 : tensor<i32> }`
)

// TestRunGuarded runs pipelines of the library that keep the calls of a module, and some that lose
// them. The library has the corrections of openxla/stablehlo#2804: its passes keep calls in
// loops whose results are not used.
func TestRunGuarded(t *testing.T) {
	inLoop := func(body string) string {
		return `func.func @main(%x: tensor<i32>, %p: tensor<i1>, %t: !stablehlo.token) -> tensor<i32> {
%1:3 = stablehlo.while(%q = %p, %i = %x, %u = %t) : tensor<i1>, tensor<i32>, !stablehlo.token
cond { stablehlo.return %q : tensor<i1> } do {
` + body + `
  stablehlo.return %q, %i, %u : tensor<i1>, tensor<i32>, !stablehlo.token
}
return %x : tensor<i32> }
func.func private @f(%x: tensor<i32>) -> tensor<i32> {
  ` + tells + `
  return %x : tensor<i32> }`
	}
	const simplify = "func.func(stablehlo-aggressive-simplification,canonicalize,cse)"
	for _, test := range []struct{ name, text, pipeline, want string }{
		{"call in a loop", inLoop(tells), simplify + ",symbol-dce", ""},
		{"function in a loop", inLoop("%5 = func.call @f(%i) : (tensor<i32>) -> tensor<i32>"),
			simplify + ",inline,symbol-dce", ""},
		{"composite in a loop",
			inLoop(`%5 = stablehlo.composite "a.b" %i {decomposition = @f} : (tensor<i32>) -> tensor<i32>`),
			"func.func(stablehlo-legalize-composite-to-call),inline,symbol-dce", ""},
		{"receive in a loop", inLoop(`%5:2 = "stablehlo.recv"(%u) {channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)`), simplify, ""},
		{"infeed in a loop", inLoop(
			`%5:2 = "stablehlo.infeed"(%u) : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)`), simplify, ""},
		{"versioned dialect", inLoop(tells), "stablehlo-legalize-to-vhlo", ""},
		{"inlined twice", `func.func @main(%x: tensor<i32>) {
call @f(%x) : (tensor<i32>) -> ()
call @f(%x) : (tensor<i32>) -> ()
return }
func.func private @f(%x: tensor<i32>) {
` + tells + `
return }`, "inline,symbol-dce", ""},
		{"function that is not called", `func.func @main() { return }
func.func private @f(%x: tensor<i32>) {
` + tells + `
return }`, "symbol-dce", ""},
		{"constant predicate", `func.func @main(%x: tensor<i32>) {
%f = stablehlo.constant dense<false> : tensor<i1>
%0 = "stablehlo.if"(%f) ({
` + tells + `
stablehlo.return %x : tensor<i32> }, { stablehlo.return %x : tensor<i32> }) : (tensor<i1>) -> tensor<i32>
%two = stablehlo.constant dense<-2> : tensor<i32>
%1 = "stablehlo.case"(%two) ({
` + tells + `
stablehlo.return %x : tensor<i32> }, { stablehlo.return %x : tensor<i32> }) : (tensor<i32>) -> tensor<i32>
%2:2 = stablehlo.while(%q = %f, %i = %x) : tensor<i1>, tensor<i32> cond {
  %no = stablehlo.constant dense<false> : tensor<i1>
  stablehlo.return %no : tensor<i1>
} do {
` + tells + `
stablehlo.return %q, %i : tensor<i1>, tensor<i32> }
return }`, simplify, ""},
		{"main becomes private",
			"func.func @main(%x: tensor<i32>) {\n" + tells + "\n" + tells + "\nreturn }\nfunc.func @other() { return }",
			"symbol-privatize{exclude=other},symbol-dce", "@tell at test.mlir:2:1: 0 calls are left of 2"},
		{"the only function becomes private", "func.func @f(%x: tensor<i32>) {\n" + tells + "\nreturn }",
			"symbol-privatize,symbol-dce", "@tell at test.mlir:2:1: 0 calls are left of 1"},
		{"loop that a pass removes", never, simplify, "@tell at test.mlir:7:8: 0 calls are left of 1"},
		{"another public function",
			"func.func @main() { return }\nfunc.func @f(%x: tensor<i32>) {\n" + tells + "\nreturn }",
			"symbol-privatize{exclude=main},symbol-dce", ""},
		{"unknown pass", "func.func @main() { return }", "no-such-pass", "no-such-pass"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, test.text)
			before := m.String()
			err := passes.RunGuarded(m, "builtin.module("+test.pipeline+")")
			if test.want == "" {
				check.NoError(t, err)
				return
			}
			check.Error(t, err, test.want)
			check.Diff(t, "the module", before, m.String())
			check.NoError(t, m.Verify())
			if test.name == "unknown pass" {
				return
			}
			if lost, ok := errors.AsType[*passes.LostError](err); !ok || len(lost.Lost) != 1 ||
				lost.Lost[0].Callee != "@tell" {
				t.Errorf("the error is %#v", err)
			}
		})
	}
}

// A call that is lost in a rewriting in Go is named with its place, and the module is restored
// with its attributes.
func TestGuard(t *testing.T) {
	tap := func(effect, token string) string {
		return " = stablehlo.custom_call @calliope_io_callback(" + token + `) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "see", n_tokens = 1 : i64, effect = "` + effect + `"}} : (tensor<1xi8>) -> tensor<1xi8>
`
	}
	text := "module @name attributes {a.b = 1 : i32} { func.func @main(%t: tensor<1xi8>) {\n" +
		"%1" + tap("log", "%t") + "%2" + tap("log", "%1") + "%3" + tap("file", "%2") + "return } }"
	m := parse(t, text)
	before := m.String()
	erase := func(lines ...int) func() error {
		return func() error {
			m.Operation().SetAttribute("a.b", m.Context().StringAttribute("other"))
			m.Operation().SetAttribute("a.c", m.Context().UnitAttribute())
			for op := range m.Operation().All() {
				if op.Name() != "stablehlo.custom_call" || !slices.Contains(lines, op.Location().Position().Line) {
					continue
				}
				op.Result(0).ReplaceAllUses(op.Operand(0))
				if err := op.Erase(); err != nil {
					return err
				}
			}
			return nil
		}
	}
	check.Error(t, passes.Guard(m, erase(3)), `passes: the rewriting lost calls with side effects: callback "see" of the effect "log" at test.mlir:3:6: 1 calls are left of 2`)
	check.Diff(t, "the module", before, m.String())
	err := passes.Guard(m, erase(2, 4))
	check.Error(t, err, `callback "see" of the effect "log" at test.mlir:2:6: 1 calls are left of 2; callback "see" of the effect "file" at test.mlir:4:6: 0 calls are left of 1`)
	check.Diff(t, "the module", before, m.String())
	failed := errors.New("it failed")
	err = passes.Guard(m, func() error { _ = erase(2)(); return failed })
	check.Diff(t, "the error is that of the rewriting", true, err == failed)
	check.Diff(t, "the module", before, m.String())
	check.NoError(t, passes.Guard(m, erase()))
	if !strings.Contains(m.String(), `a.b = "other"`) {
		t.Errorf("the change is lost:\n%s", m)
	}
}

// Refine keeps calls, also in functions that it inlines, and removes assertions that hold.
func TestCheckKept(t *testing.T) {
	m := parse(t, `func.func public @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %ok = stablehlo.compare GE, %c, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok) {api_version = 2 : i32, error_message = "no", has_side_effect = true} : (tensor<i1>) -> ()
  %1 = call @f(%x) : (tensor<?xi32>) -> tensor<?xi32>
  return %1 : tensor<?xi32> }
func.func @f(%x: tensor<?xi32>) -> tensor<?xi32> {
  stablehlo.custom_call @tell(%x) {has_side_effect = true} : (tensor<?xi32>) -> ()
  return %x : tensor<?xi32> }`)
	refined, err := stablehlo.Refine(m, tensor.ShapeOf(tensor.S32, 4))
	check.NoError(t, err)
	check.Cleanup(t, refined)
	check.NoError(t, passes.CheckKept(m, refined))
	empty := mlirtest.Parse(t, mlirtest.Context(t), "func.func @main() { return }")
	check.Error(t, passes.CheckKept(m, empty), "@tell at test.mlir:9:3: 0 calls are left of 1")
	check.NoError(t, passes.CheckKept(empty, m))
}
