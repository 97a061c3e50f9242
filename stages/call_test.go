package stages_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestCallsAsInline compares what the options of a call and of a run do, inline and between stages.
func TestCallsAsInline(t *testing.T) {
	var seen []string
	record := func(name string) callbacks.Func {
		return func(f *callbacks.Frame) error {
			seen = append(seen, fmt.Sprint(name, " ", f.Config, " ", f.Context().Value(seenKey{}), " ", f.Device,
				len(f.IDs), f.Args, len(f.Results)))
			if len(f.Results) > 0 {
				return double(f)
			}
			return nil
		}
	}
	register(t, "second", record("second"), callbacks.Options{FailRun: true})
	register(t, "replaced", record("replaced"), callbacks.Options{})
	register(t, "kept", func(*callbacks.Frame) error { return errCallback }, callbacks.Options{})
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", shape)
	builder.Tap(f.Param(0), builder.Callback{Name: "second", Effect: "e", Every: 2})
	builder.Tap(f.Param(0), builder.Callback{Name: "kept"}) // for the barrier
	like := builder.Like(shape)
	missing := builder.RuntimeCall(like, f.Param(0), builder.Callback{Name: "missing", Optional: true})
	passed := builder.Passthrough(f.Param(0), builder.Callback{Name: "missing", Optional: true})
	f.Return(missing, passed, builder.RuntimeCall(like, f.Param(0), builder.Callback{Name: "replaced", Effect: "e"}))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	client := newClient(t)
	var want []string
	for i, o := range []stages.Options{
		{Devices: stages.On(client.Engine())},
		{Devices: stages.On(client.Engine()), Force: cutAll("second", "kept", "missing", "replaced")},
		{},
	} {
		e, err := stages.Compile(t.Context(), m, o)
		check.NoError(t, err)
		seen = nil
		for k := range 4 {
			ctx := context.WithValue(t.Context(), seenKey{}, k)
			if k == 3 {
				ctx = callbacks.With(ctx, "replaced", record("another"))
			}
			got, err := e.Call(ctx, floats(1, 2, float32(k), 4))
			check.NoError(t, err)
			seen = append(seen, fmt.Sprint(got))
		}
		err = callbacks.Barrier(t.Context(), "end")
		check.Diff(t, "the tap's error", true, errors.Is(err, errCallback))
		check.NoError(t, e.Close())
		if i == 0 {
			want = seen
		}
		check.Diff(t, fmt.Sprintf("way %d", i), want, seen)
	}
	check.Diff(t, "calls and results", 2+4+4, len(want))
}

type seenKey struct{}

// TestParallelAsInline calls the elements of a batch in parallel, inline, between stages, and on the interpreter.
func TestParallelAsInline(t *testing.T) {
	var calls atomic.Int64
	register(t, "parallel", func(f *callbacks.Frame) error {
		calls.Add(1)
		check.Diff(t, "an element", "f32[4]", f.Args[0].Shape.String())
		return double(f)
	}, callbacks.Options{Signature: "f32[4]->f32[4]"})
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 3, 4))
	f.Return(builder.Batch(func(x builder.Value) builder.Value {
		return builder.PureCall(builder.Like(shape), x, builder.Callback{Name: "parallel", Batch: contract.Parallel})
	}, builder.BatchOptions{})(f.Param(0)))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	client := newClient(t)
	x := check.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 3, 4))
	for i, o := range []stages.Options{
		{Devices: stages.On(client.Engine())}, {Devices: stages.On(client.Engine()), Force: cutAll("parallel")}, {},
		{Lower: map[string]stages.Lowering{"parallel": func(args []builder.Value) []builder.Value {
			check.Diff(t, "an element", "f32[4]", args[0].Shape().String())
			return []builder.Value{builder.Add(args[0], args[0])}
		}}},
	} {
		e, err := stages.Compile(t.Context(), m, o)
		check.NoError(t, err)
		calls.Store(0)
		got, err := e.Call(t.Context(), x)
		check.NoError(t, err)
		want := []float32{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24}
		check.Diff(t, fmt.Sprintf("way %d", i), want, check.Must(tensor.Slice[float32](got[0])))
		if o.Lower == nil {
			check.Diff(t, "calls", int64(3), calls.Load())
		}
		check.NoError(t, e.Close())
	}
}
