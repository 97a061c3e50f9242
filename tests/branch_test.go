package tests

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestBranchesKeepValues runs callbacks in branches that change their operand in place, while a value
// from before the branch is returned. XLA overwrites that value without passes.CopyInBranches.
func TestBranchesKeepValues(t *testing.T) {
	check.NoError(t, callbacks.Default.Register("overwrites", func(f *callbacks.Frame) error {
		clear(f.Results[0].Data)
		return nil
	}, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister("overwrites")) })
	overwrite := func(x builder.Value) builder.Value {
		return builder.IOCallback(builder.Callback{Name: "overwrites"}, x)
	}
	positive := func(x builder.Value) builder.Value {
		return builder.Gt(builder.Reshape(builder.SliceAxis(x, 0, 0, 1)), float32(0))
	}
	client := newClient(t, 1)
	for _, test := range []struct {
		name  string
		build func(b *builder.Builder, f *builder.Func, x builder.Value) []builder.Value
		want  string
		calls int // that copy
	}{
		{"if", func(_ *builder.Builder, _ *builder.Func, x builder.Value) []builder.Value {
			builder.If(positive(x), func() builder.Value { return overwrite(x) }, func() builder.Value { return builder.Neg(x) })
			return []builder.Value{x}
		}, "[f32[4] [2 3 4 5]]", 1},
		{"reshaped", func(_ *builder.Builder, _ *builder.Func, x builder.Value) []builder.Value {
			builder.If(positive(x), func() builder.Value { return overwrite(x) }, func() builder.Value { return builder.Neg(x) })
			return []builder.Value{builder.Reshape(x, 2, 2)}
		}, "[f32[2,2] [2 3 4 5]]", 1},
		{"nested", func(_ *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			return []builder.Value{builder.If(positive(x), func() builder.Value {
				y := builder.Mul(x, x)
				builder.Case(builder.Scalar(f, int32(1)), func() builder.Value { return y }, func() builder.Value { return overwrite(y) })
				return y
			}, func() builder.Value { return x })}
		}, "[f32[4] [4 9 16 25]]", 1},
		{"function", func(b *builder.Builder, f *builder.Func, x builder.Value) []builder.Value {
			g := b.Func("g", x.Shape())
			g.Return(overwrite(g.Param(0)))
			builder.If(positive(x), func() builder.Value { return g.Call(x)[0] }, func() builder.Value { return builder.Neg(x) })
			return []builder.Value{x}
		}, "[f32[4] [2 3 4 5]]", 1},
		{"result", func(_ *builder.Builder, _ *builder.Func, x builder.Value) []builder.Value {
			return []builder.Value{builder.If(positive(x), func() builder.Value { return overwrite(x) }, func() builder.Value { return builder.Neg(x) })}
		}, "[f32[4] [0 0 0 0]]", 0},
		{"two results", func(_ *builder.Builder, _ *builder.Func, x builder.Value) []builder.Value {
			y := builder.If(positive(x), func() builder.Value { return overwrite(x) }, func() builder.Value { return builder.Neg(x) })
			return []builder.Value{x, y}
		}, "[f32[4] [2 3 4 5] f32[4] [0 0 0 0]]", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := builder.New(mlirtest.Context(t), builder.Options{})
			f := b.Func("main", tensor.ShapeOf(tensor.F32, 4))
			f.Return(test.build(b, f, builder.Add(f.Param(0), float32(1)))...)
			m, err := b.Module()
			check.NoError(t, err)
			check.Cleanup(t, m)
			again, err := passes.CopyInBranches(m)
			check.NoError(t, err)
			check.Diff(t, "calls that builder has left", 0, again)
			shared := 0
			for op := range m.Operation().Index().Named("stablehlo.custom_call") {
				if call, ok := stablehlo.AsCustomCall(op); ok && len(call.Aliases) > 0 {
					shared++
				}
			}
			check.Diff(t, "calls that copy", test.calls, 1-shared)
			e, err := client.Compile(t.Context(), stablehlo.Program(m), bridge.CompileOptions{})
			check.NoError(t, err)
			check.Cleanup(t, e)
			got, err := e.Call(t.Context(), tensor.Vector[float32](1, 2, 3, 4))
			check.NoError(t, err)
			check.Diff(t, "results", test.want, fmt.Sprint(got))
		})
	}
}
