package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestConditionCalls counts the calls in the condition of a loop that XLA knows to run four times. They depend on
// nothing of the loop, so XLA would evaluate no condition.
func TestConditionCalls(t *testing.T) {
	const name = "in a condition"
	calls := 0
	check.NoError(t,
		callbacks.Default.Register(name, func(*callbacks.Frame) error { calls++; return nil }, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
	custom := func(target, form, rest, types string) string {
		return "stablehlo.custom_call @calliope_" + target + `(` + rest +
			`) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {v = 1 : i64, form = "` + form + `", callback = "` + name + `"}} : ` + types
	}
	const array = "(tensor<4xf32>) -> tensor<4xf32>"
	client := newClient(t, 1)
	for form, call := range map[string]string{
		"call without arrays": custom("runtime_call", "call", "", "() -> ()"),
		"call":                "%k = " + custom("runtime_call", "call", "%c", array),
		"tap":                 "%k = " + custom("io_callback", "observe", "%c", "(tensor<4xf32>) -> tensor<1xi8>"),
		"passthrough":         "%k = " + custom("io_callback", "passthrough", "%c", array),
	} {
		for where, condition := range map[string]string{
			"condition": "CALL",
			"function":  "func.call @calls(%c) : (tensor<4xf32>) -> ()",
			"branch": `"stablehlo.if"(%true) ({
      CALL
      "stablehlo.return"() : () -> ()
    }, {
      "stablehlo.return"() : () -> ()
    }) : (tensor<i1>) -> ()`,
		} {
			t.Run(form+"/"+where, func(t *testing.T) {
				m := mlirtest.Parse(t, mlirtest.Context(t),
					strings.ReplaceAll(strings.Replace(conditionLoop, "CONDITION", condition, 1), "CALL", call))
				wantConditionCalls(t, m, client, name, &calls)
			})
		}
	}
	t.Run("builder", func(t *testing.T) {
		b := builder.New(mlirtest.Context(t), builder.Options{})
		f := b.Func("main", tensor.ShapeOf(tensor.F32, 4))
		type state struct{ I, V builder.Value }
		out := builder.While(state{f.Constant(tensor.Scalar[int32](0)), f.Param(0)}, func(s state) builder.Value {
			builder.RuntimeCall(struct{}{}, struct{}{}, builder.Callback{Name: name, In: f})
			return builder.Lt(s.I, int32(4))
		}, func(s state) state {
			return state{builder.Add(s.I, int32(1)), builder.Add(s.V, s.V)}
		}, builder.LoopOptions{})
		f.Return(out.V)
		m, err := b.Module()
		check.NoError(t, err)
		check.Cleanup(t, m)
		wantConditionCalls(t, m, client, name, &calls)
	})
	for _, unordered := range []bool{false, true} {
		t.Run(fmt.Sprintf("inserted tap, unordered %t", unordered), func(t *testing.T) {
			text := strings.Replace(conditionLoop, "CONDITION", "%tapped = stablehlo.negate %c : tensor<4xf32>", 1)
			m := mlirtest.Parse(t, mlirtest.Context(t), strings.ReplaceAll(text, "CALL", ""))
			n, err := passes.InsertTap(m, passes.ByOp("stablehlo.negate"), passes.TapOptions{
				Config: contract.Config{Callback: name}, Unordered: unordered,
			})
			check.NoError(t, err)
			check.Diff(t, "taps", 1, n)
			wantConditionCalls(t, m, client, name, &calls)
		})
	}
}

const conditionLoop = `
func.func private @calls(%c: tensor<4xf32>) {
  CALL
  return
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %c = stablehlo.constant dense<7.0> : tensor<4xf32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %four = stablehlo.constant dense<4> : tensor<i32>
    CONDITION
    %p = stablehlo.compare LT, %i, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %v, %v : tensor<4xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}`

// wantConditionCalls runs a module in stages, on the interpreter and inline.
func wantConditionCalls(t *testing.T, m *mlir.Module, client *bridge.Client, name string, calls *int) {
	t.Helper()
	cut := map[string]stages.Decision{name: stages.Boundary}
	run := func(way string, e engine.Executable, err error) {
		t.Helper()
		check.NoError(t, err)
		check.Cleanup(t, e)
		*calls = 0
		got, err := e.Call(t.Context(), tensor.Vector[float32](1, 2, 3, 4))
		check.NoError(t, err)
		check.Diff(t, way+": results", "[f32[4] [16 32 48 64]]", fmt.Sprint(got))
		check.Diff(t, way+": calls", 5, *calls)
	}
	e, err := stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(client.Engine()), Force: cut})
	run("stages", e, err)
	e, err = stages.Compile(t.Context(), m, stages.Options{})
	run("interpreter", e, err)
	check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
	before := m.String()
	check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
	check.Diff(t, "what a second run makes of the module", before, m.String())
	e, err = client.Compile(t.Context(), stablehlo.Unprepared(m), engine.CompileOptions{})
	run("inline", e, err)
}
