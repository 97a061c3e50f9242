package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestBranchesKeepValues runs callbacks and loops in branches that change their operand in place, while a
// value from before the branch is returned. XLA overwrites that value without
// passes.Prepare.
func TestBranchesKeepValues(t *testing.T) {
	check.NoError(t, callbacks.Default.Register("overwrites", func(f *callbacks.Frame) error {
		clear(f.Results[0].Data)
		return nil
	}, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister("overwrites")) })
	check.NoError(t,
		callbacks.Default.Register("watches", func(f *callbacks.Frame) error { return nil }, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister("watches")) })
	loop := func(f *builder.Func, x builder.Value) builder.Value { // squares x three times
		return builder.Loop(builder.Scalar(f, int32(3)), x, func(_, x builder.Value) builder.Value {
			builder.Tap(x, builder.Callback{Name: "watches"})
			return builder.Mul(x, x)
		}, builder.LoopOptions{})
	}
	overwrite := func(x builder.Value) builder.Value {
		return builder.Passthrough(x, builder.Callback{Name: "overwrites"})
	}
	positive := func(x builder.Value) builder.Value {
		return builder.Gt(builder.Reshape(builder.SliceAxis(x, 0, 0, 1)), float32(0))
	}
	client := newClient(t, 1)
	for _, test := range []struct {
		name  string
		build func(b *builder.Builder, f *builder.Func, x builder.Value) []builder.Value
		want  string
	}{
		{"if", func(_ *builder.Builder, _ *builder.Func, x builder.Value) []builder.Value {
			builder.If(positive(x), func() builder.Value { return overwrite(x) },
				func() builder.Value { return builder.Neg(x) })
			return []builder.Value{x}
		}, "[f32[4] [2 3 4 5]]"},
		{"reshaped", func(_ *builder.Builder, _ *builder.Func, x builder.Value) []builder.Value {
			builder.If(positive(x), func() builder.Value { return overwrite(x) },
				func() builder.Value { return builder.Neg(x) })
			return []builder.Value{builder.Reshape(x, 2, 2)}
		}, "[f32[2,2] [2 3 4 5]]"},
		{"nested", func(_ *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			return []builder.Value{builder.If(positive(x), func() builder.Value {
				y := builder.Mul(x, x)
				builder.Case(builder.Scalar(f, int32(1)), func() builder.Value { return y },
					func() builder.Value { return overwrite(y) })
				return y
			}, func() builder.Value { return x })}
		}, "[f32[4] [4 9 16 25]]"},
		{"function", func(b *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			g := b.Func("g", x.Shape())
			g.Return(overwrite(g.Param(0)))
			builder.If(positive(x), func() builder.Value { return g.Call(x)[0] },
				func() builder.Value { return builder.Neg(x) })
			return []builder.Value{x}
		}, "[f32[4] [2 3 4 5]]"},
		{"loop", func(_ *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			builder.If(positive(x), func() builder.Value { return loop(f, x) }, func() builder.Value { return x })
			return []builder.Value{x}
		}, "[f32[4] [2 3 4 5]]"},
		{"parameter", func(_ *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			builder.If(positive(x), func() builder.Value { return loop(f, f.Param(0)) },
				func() builder.Value { return x })
			return []builder.Value{f.Param(0)}
		}, "[f32[4] [1 2 3 4]]"},
		{"in a loop", func(_ *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			return []builder.Value{builder.While(x, func(x builder.Value) builder.Value {
				return builder.Lt(builder.Reshape(builder.SliceAxis(x, 0, 0, 1)), float32(5))
			}, func(x builder.Value) builder.Value {
				y := builder.Add(x, float32(1))
				builder.If(positive(x), func() builder.Value { return loop(f, y) },
					func() builder.Value { return overwrite(y) })
				return y
			}, builder.LoopOptions{})}
		}, "[f32[4] [5 6 7 8]]"},
		{"in a loop of one value", func(_ *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			return []builder.Value{builder.While(x, func(x builder.Value) builder.Value {
				return builder.Lt(builder.Reshape(builder.SliceAxis(x, 0, 0, 1)), float32(5))
			}, func(x builder.Value) builder.Value {
				y := builder.Add(x, float32(1))
				builder.If(positive(x), func() builder.Value { return overwrite(y) }, func() builder.Value { return y })
				return y
			}, builder.LoopOptions{})}
		}, "[f32[4] [5 6 7 8]]"},
		{"several branches", func(_ *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			builder.If(positive(x), func() builder.Value { return overwrite(x) }, func() builder.Value { return x })
			y := builder.Neg(x)
			builder.Case(builder.Scalar(f, int32(0)), func() builder.Value { return loop(f, y) },
				func() builder.Value { return y })
			return []builder.Value{y}
		}, "[f32[4] [-2 -3 -4 -5]]"},
		{"function with two results", func(b *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			g := b.Func("g", x.Shape())
			y := builder.Mul(g.Param(0), float32(2))
			builder.If(positive(y), func() builder.Value { return loop(g, y) }, func() builder.Value { return y })
			g.Return(y, g.Param(0))
			return g.Call(x)[:1]
		}, "[f32[4] [4 6 8 10]]"},
		{"call in a function", func(b *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			g := b.Func("g", x.Shape())
			builder.If(positive(g.Param(0)), func() builder.Value { return loop(g, g.Param(0)) },
				func() builder.Value { return g.Param(0) })
			g.Return(builder.Neg(g.Param(0)))
			g.Call(x)
			return []builder.Value{x}
		}, "[f32[4] [2 3 4 5]]"},
		{"result", func(_ *builder.Builder, _ *builder.Func, x builder.Value) []builder.Value {
			return []builder.Value{builder.If(positive(x), func() builder.Value { return overwrite(x) },
				func() builder.Value { return builder.Neg(x) })}
		}, "[f32[4] [0 0 0 0]]"},
		{"two results", func(_ *builder.Builder, _ *builder.Func, x builder.Value) []builder.Value {
			y := builder.If(positive(x), func() builder.Value { return overwrite(x) },
				func() builder.Value { return builder.Neg(x) })
			return []builder.Value{x, y}
		}, "[f32[4] [2 3 4 5] f32[4] [0 0 0 0]]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := builder.New(mlirtest.Context(t), builder.Options{})
			f := b.Func("main", tensor.ShapeOf(tensor.F32, 4))
			f.Return(test.build(b, f, builder.Add(f.Param(0), float32(1)))...)
			m, err := b.Module()
			check.NoError(t, err)
			check.Cleanup(t, m)
			check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
			before := m.String()
			check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
			check.Diff(t, "what a second run makes of the module", before, m.String())
			e, err := client.Compile(t.Context(), stablehlo.Unprepared(m), engine.CompileOptions{})
			check.NoError(t, err)
			check.Cleanup(t, e)
			got, err := e.Call(t.Context(), tensor.Vector[float32](1, 2, 3, 4))
			check.NoError(t, err)
			check.Diff(t, "results", test.want, fmt.Sprint(got))
		})
	}
}

// TestDonatedParameterIsKept returns a parameter unchanged, which a loop in a branch squares and calls with.
func TestDonatedParameterIsKept(t *testing.T) {
	check.NoError(t, callbacks.Default.Register("twice", func(f *callbacks.Frame) error {
		if len(f.Results) == 0 {
			return nil
		}
		in, err := tensor.Slice[float32](f.Args[0])
		check.NoError(t, err)
		out, err := tensor.Slice[float32](f.Results[0])
		check.NoError(t, err)
		for i, x := range in {
			out[i] = 2 * x
		}
		return nil
	}, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister("twice")) })
	cb, zero := builder.Callback{Name: "twice"}, 0
	client := newClient(t, 1)
	shape := tensor.ShapeOf(tensor.F32, 3)
	for call, does := range map[string]func(x builder.Value){
		"tap":         func(x builder.Value) { builder.Tap(x, cb) },
		"passthrough": func(x builder.Value) { builder.Passthrough(x, cb) },
		"call":        func(x builder.Value) { builder.RuntimeCall(x, x, cb) },
	} {
		for mark, p := range map[string]builder.Param{
			"": {Shape: shape}, "donated": {Shape: shape, Donate: true}, "aliased": {Shape: shape, AliasOutput: &zero},
		} {
			for _, choice := range []string{"if", "case"} {
				t.Run(strings.TrimSpace(call+" "+choice+" "+mark), func(t *testing.T) {
					b := builder.New(mlirtest.Context(t), builder.Options{})
					f := b.FuncWith("main", builder.Signature{Params: []builder.Param{p}})
					x := f.Param(0)
					positive := builder.Gt(builder.Reshape(builder.SliceAxis(x, 0, 0, 1)), float32(0))
					then := func() builder.Value {
						return builder.Loop(builder.Scalar(f, int32(2)), x, func(_, x builder.Value) builder.Value {
							does(x)
							return builder.Mul(x, x)
						}, builder.LoopOptions{})
					}
					otherwise := func() builder.Value { return builder.Neg(x) }
					if choice == "if" {
						builder.If(positive, then, otherwise)
					} else {
						builder.Case(builder.Convert(positive, tensor.S32), otherwise, then)
					}
					f.Return(x)
					m, err := b.Module()
					check.NoError(t, err)
					check.Cleanup(t, m)
					e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}),
						engine.CompileOptions{})
					check.NoError(t, err)
					check.Cleanup(t, e)
					in, err := client.ArrayFromHost(t.Context(), tensor.Vector[float32](1, 2, 3), 0)
					check.NoError(t, err)
					check.Cleanup(t, in)
					var input engine.Input = in
					if mark != "" {
						input = engine.Donate(in)
					}
					out, err := e.Run(t.Context(), input)
					check.NoError(t, err)
					check.Diff(t, "results", "[f32[3] [1 2 3]]", fmt.Sprint(toHost(t, out)))
				})
			}
		}
	}
}
