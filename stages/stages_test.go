package stages_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

var shape = tensor.ShapeOf(tensor.F32, 4)

// register registers a function for the test.
func register(t *testing.T, name string, fn callbacks.Func, o callbacks.Options) {
	t.Helper()
	check.NoError(t, callbacks.Default.Register(name, fn, o))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
}

func double(f *callbacks.Frame) error {
	in, _ := tensor.Slice[float32](f.Args[0])
	out, _ := tensor.Slice[float32](f.Results[0])
	for i, v := range in {
		out[i] = 2 * v
	}
	return nil
}

// cutAll cuts at the named callbacks.
func cutAll(names ...string) map[string]stages.Decision {
	force := map[string]stages.Decision{}
	for _, name := range names {
		force[name] = stages.Boundary
	}
	return force
}

func newClient(t *testing.T) *bridge.Client {
	t.Helper()
	p := check.Must(bridge.Open(bridge.OpenOptions{}))
	c := check.Must(p.NewClient(bridge.ClientOptions{}))
	check.Cleanup(t, c)
	return c
}

func floats(v ...float32) tensor.View { return tensor.Vector(v...) }

func TestCut(t *testing.T) {
	var seen []string
	register(t, "see", func(f *callbacks.Frame) error {
		seen = append(seen, fmt.Sprint(f.Args[0]))
		return nil
	}, callbacks.Options{})
	var calls atomic.Int32
	register(t, "double", func(f *callbacks.Frame) error { calls.Add(1); return double(f) }, callbacks.Options{})
	ctx := mlirtest.Context(t)
	b := builder.New(ctx, builder.Options{})
	f := b.Func("main", shape)
	x := builder.Add(f.Param(0), float32(1))
	y := builder.RuntimeCall(x, x, builder.Callback{Name: "double"})
	builder.Tap(y, builder.Callback{Name: "see"})
	type state struct {
		I builder.Value
		V builder.Value
	}
	z := builder.While(state{builder.Scalar(f, int32(0)), y},
		func(s state) builder.Value { return builder.Lt(s.I, int32(3)) },
		func(s state) state {
			builder.Tap(s.V, builder.Callback{Name: "see"})
			return state{builder.Add(s.I, int32(1)),
				builder.RuntimeCall(s.V, builder.Sub(s.V, x), builder.Callback{Name: "double"})}
		}, builder.LoopOptions{})
	w := builder.If(builder.Gt(builder.Reshape(builder.SliceAxis(z.V, 0, 0, 1)), float32(0)),
		func() builder.Value { return builder.RuntimeCall(z.V, z.V, builder.Callback{Name: "double"}) },
		func() builder.Value { return builder.Neg(z.V) })
	f.Return(w, builder.Mul(x, x))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)

	client := newClient(t)
	whole, err := stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(client.Engine())})
	check.NoError(t, err)
	check.Cleanup(t, whole)
	in := floats(1, 2, 3, -4)
	want, err := whole.Call(t.Context(), in)
	check.NoError(t, err)
	wantSeen, wantCalls := seen, calls.Load()
	seen = nil
	calls.Store(0)

	cut, err := stages.Compile(t.Context(), m,
		stages.Options{Devices: stages.On(client.Engine()), Force: cutAll("see", "double")})
	check.NoError(t, err)
	check.Cleanup(t, cut)
	for range 2 {
		seen = nil
		calls.Store(0)
		got, err := cut.Call(t.Context(), in)
		check.NoError(t, err)
		check.Diff(t, "results", fmt.Sprint(want), fmt.Sprint(got))
		check.Diff(t, "calls", wantCalls, calls.Load())
		check.Diff(t, "seen", wantSeen, seen)
	}
	slow, err := stages.Compile(t.Context(), m, stages.Options{})
	check.NoError(t, err)
	check.Cleanup(t, slow)
	seen = nil
	got, err := slow.Call(t.Context(), in)
	check.NoError(t, err)
	check.Diff(t, "results of the interpreter", fmt.Sprint(want), fmt.Sprint(got))
	check.Diff(t, "seen from the interpreter", wantSeen, seen)
	buffers, err := cut.Run(t.Context(), in)
	check.NoError(t, err)
	for i, b := range buffers {
		host, err := b.ToHost(context.Background())
		check.NoError(t, err)
		check.Diff(t, "buffer", fmt.Sprint(want[i]), fmt.Sprint(host))
		check.NoError(t, b.Close())
	}
}
