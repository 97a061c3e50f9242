package builder_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// The callback of AllEffects in the body of a loop follows the callbacks of every effect of
// the iteration before, and callbacks of an effect that comes later follow it.
func TestAllEffectsInLoop(t *testing.T) {
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.S32))
	x := builder.Loop(f.Param(0), f.Param(0), func(i, x builder.Value) builder.Value {
		builder.Tap(x, builder.Callback{Name: "all", Effect: builder.AllEffects})
		builder.Tap(x, builder.Callback{Name: "one", Effect: "one"})
		return x
	}, builder.LoopOptions{})
	f.Return(x)
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	var all, one, or, end mlir.Operation
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		switch call, ok := callop.AsCall(op); {
		case ok && call.Config.Callback == "all":
			all = op
		case ok:
			one = op
		case op.Name() == "stablehlo.or":
			or = op
		case op.Name() == "stablehlo.return":
			end = op
		}
		return mlir.WalkContinue
	})
	check.Diff(t, "the call of one follows that of all", true, one.Operand(1) == all.Result(0))
	check.Diff(t, "the next call of all follows both", true, or.Operand(0) == all.Result(0) &&
		or.Operand(1) == one.Result(0))
	check.Diff(t, "the iteration returns that token", true, end.Operand(2) == or.Result(0))
}

// The callback of AllEffects in a body or a branch follows the callbacks before the operation,
// also if it is the first one there.
func TestAllEffectsFirst(t *testing.T) {
	all, one := builder.Callback{Name: "all", Effect: builder.AllEffects}, builder.Callback{Name: "one", Effect: "one"}
	for name, build := range map[string]func(f *builder.Func, x builder.Value){
		"loop": func(_ *builder.Func, x builder.Value) {
			builder.Tap(x, one)
			builder.Loop(x, x, func(_, x builder.Value) builder.Value {
				builder.Tap(x, all)
				return x
			}, builder.LoopOptions{})
		},
		"branch": func(f *builder.Func, x builder.Value) {
			builder.Tap(x, one)
			builder.If(f.Param(1), func() struct{} { builder.Tap(x, all); return struct{}{} },
				func() struct{} { return struct{}{} })
		},
		"loop in a loop": func(_ *builder.Func, x builder.Value) {
			builder.Loop(x, x, func(_, x builder.Value) builder.Value {
				builder.Tap(x, one)
				return builder.Loop(x, x, func(_, x builder.Value) builder.Value {
					builder.Tap(x, all)
					builder.Tap(x, one)
					return x
				}, builder.LoopOptions{})
			}, builder.LoopOptions{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := builder.New(mlirtest.Context(t), builder.Options{})
			f := b.Func("main", tensor.ShapeOf(tensor.S32), tensor.ShapeOf(tensor.Pred))
			build(f, f.Param(0))
			f.Return()
			m, err := b.Module()
			check.NoError(t, err)
			check.Cleanup(t, m)
		})
	}
}
