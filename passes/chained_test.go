package passes_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// Callbacks that take each other's values get no tokens, and others keep theirs.
func TestDropChainedTokens(t *testing.T) {
	number := tensor.ShapeOf(tensor.F32)
	pass := func(name string, x builder.Value) builder.Value {
		return builder.Passthrough(x, builder.Callback{Name: name, Effect: "e"})
	}
	ask := func(name string, x builder.Value) builder.Value {
		return builder.RuntimeCall(builder.Like(number), x, builder.Callback{Name: name, Effect: "e"})
	}
	tap := func(name string, x builder.Value) { builder.Tap(x, builder.Callback{Name: name, Effect: "e"}) }
	for _, test := range []struct {
		name  string
		build func(x builder.Value) builder.Value
		want  string // the callbacks that keep a token
	}{
		{"chain", func(x builder.Value) builder.Value { return ask("c", pass("b", pass("a", x))) }, ""},
		{"alone", func(x builder.Value) builder.Value { return pass("a", x) }, "a"},
		{"no shared value", func(x builder.Value) builder.Value { pass("a", x); return pass("b", x) }, "a b"},
		{"computed in between", func(x builder.Value) builder.Value { return pass("b", builder.Sin(pass("a", x))) },
			"a b"},
		{"tap before", func(x builder.Value) builder.Value { tap("t", x); return pass("c", pass("b", pass("a", x))) },
			"t a"},
		{"tap after", func(x builder.Value) builder.Value {
			x = pass("b", pass("a", x))
			tap("t", x)
			return x
		}, "a b t"},
		{"an array without elements", func(x builder.Value) builder.Value {
			return ask("b", pass("a", builder.Const[float32](x.Func(), nil, 0)))
		}, "a b"},
		{"in a loop", func(x builder.Value) builder.Value {
			return builder.Loop(builder.Convert(x, tensor.S32), x,
				func(_, x builder.Value) builder.Value { return pass("b", pass("a", x)) }, builder.LoopOptions{})
		}, "a b"},
		{"against all", func(x builder.Value) builder.Value {
			return builder.Passthrough(pass("a", x), builder.Callback{Name: "b", Effect: builder.AllEffects})
		}, "a b"},
		{"two effects", func(x builder.Value) builder.Value {
			return builder.Passthrough(pass("a", x), builder.Callback{Name: "b", Effect: "other"})
		}, "a b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := builder.New(mlirtest.Context(t), builder.Options{})
			f := b.Func("main", number)
			f.Return(test.build(f.Param(0)))
			m, err := b.Module() // drops the tokens
			check.NoError(t, err)
			check.Cleanup(t, m)
			var kept []string
			for call := range callop.Calls(m) {
				check.NoError(t, call.Err)
				if call.Config.NumTokens > 0 {
					kept = append(kept, call.Config.Callback)
				}
			}
			check.Diff(t, "callbacks with tokens", test.want, strings.Join(kept, " "))
			constants := 0
			for op := range m.Operation().All() {
				if op.Name() == "stablehlo.constant" && !op.Result(0).HasUses() {
					constants++
				}
			}
			check.Diff(t, "unused constants", 0, constants)
			n, err := passes.DropChainedTokens(m)
			check.NoError(t, err)
			check.Diff(t, "dropped again", 0, n)
		})
	}
}
