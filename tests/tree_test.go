package tests

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// treeOf is a tree as the builder takes it apart, with T = builder.Value, and as a
// callback gets it, with numbers. Its fields are not in the alphabet's order.
type treeOf[T any] struct {
	Zeta  T
	Named map[string]T
	Alpha [2]T
	Rows  []struct{ Y, X T }
	Last  map[int]T
}

func newTree[T any](leaf func(n float32) T) treeOf[T] {
	return treeOf[T]{
		Zeta:  leaf(1),
		Named: map[string]T{"b": leaf(3), "a": leaf(2), "B": leaf(4)},
		Alpha: [2]T{leaf(5), leaf(6)},
		Rows:  []struct{ Y, X T }{{leaf(7), leaf(8)}, {leaf(9), leaf(10)}},
		Last:  map[int]T{10: leaf(13), -1: leaf(11), 9: leaf(12)},
	}
}

// TestTreesMeet holds that builder and callbacks take trees apart in one order, both
// ways: each leaf is identified by its number, and comes back as ten times that.
func TestTreesMeet(t *testing.T) {
	number := func(n float32) float32 { return n }
	want := newTree(number)
	var got treeOf[float32]
	register(t, callbacks.RegisterCall(callbacks.Default, t.Name(),
		func(_ context.Context, args treeOf[float32]) (treeOf[float32], error) {
			got = args
			return newTree(func(n float32) float32 { return 10 * n }), nil
		}, callbacks.Options{}, callbacks.Template[treeOf[float32], treeOf[float32]]{Args: want, Results: want}))

	outputs := runMain(t, func(f *builder.Func) []builder.Value {
		args := newTree(func(n float32) builder.Value { return f.Constant(tensor.Scalar(n)) })
		template := newTree(func(float32) builder.Value { return builder.Like(tensor.ShapeOf(tensor.F32)) })
		out := builder.RuntimeCall(template, args, builder.Callback{Name: t.Name(), In: f})
		return []builder.Value{out.Zeta, out.Named["B"], out.Named["a"], out.Rows[1].Y, out.Rows[1].X, out.Last[-1],
			out.Last[10]}
	})
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	var results []float32
	for _, v := range outputs {
		x, err := tensor.ArrayOf[float32](v)
		check.NoError(t, err)
		results = append(results, x.Data[0])
	}
	if d := cmp.Diff([]float32{10, 40, 20, 90, 100, 110, 130}, results); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
}

// TestPassthroughOfATree holds that a typed function changes what passes through it.
func TestPassthroughOfATree(t *testing.T) {
	type state[T any] struct {
		Step   T
		Weight T
	}
	type values struct {
		Step   int32
		Weight tensor.Array[float32]
	}
	register(t, callbacks.RegisterCall(callbacks.Default, t.Name(), func(_ context.Context, s values) (values, error) {
		s.Step++
		for i := range s.Weight.Data {
			s.Weight.Data[i] *= 2
		}
		return s, nil
	}, callbacks.Options{}))
	outputs := runMain(t, func(f *builder.Func) []builder.Value {
		s := builder.Passthrough(state[builder.Value]{
			Step: f.Constant(tensor.Scalar[int32](41)), Weight: f.Constant(tensor.Vector[float32](1, -2)),
		}, builder.Callback{Name: t.Name(), In: f})
		return []builder.Value{s.Step, s.Weight}
	})
	if d := cmp.Diff([]tensor.View{tensor.Scalar[int32](42), tensor.Vector[float32](2, -4)}, outputs); d != "" {
		t.Error(d)
	}
}

// TestResultsOfAnotherTree holds that results that do not fit come out of Run, leaf by
// leaf.
func TestResultsOfAnotherTree(t *testing.T) {
	type stats struct{ Mean, Count float32 }
	register(t, callbacks.Default.Register(t.Name(), callbacks.Call(func(_ context.Context, x float32) (stats, error) {
		return stats{x, 1}, nil
	}), callbacks.Options{}))
	module := func(f *builder.Func) []builder.Value {
		like := builder.Like(tensor.ShapeOf(tensor.F32))
		return builder.RuntimeCall([]builder.Value{like, like, like}, f.Constant(tensor.Scalar[float32](1)),
			builder.Callback{Name: t.Name(), In: f})
	}
	e := compileMain(t, module)
	_, err := e.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), ".Count: expected f32[], returned f32[]\n  result 2: expected f32[], returned nothing  <- differs") {
		t.Errorf("the run ended with %v", err)
	}
}

// TestPrintFromADevice is the program of five lines that everybody writes first.
func TestPrintFromADevice(t *testing.T) {
	var out bytes.Buffer
	p, err := callbacks.Print(callbacks.PrintOptions{To: &out, Format: "{step}: loss {loss:.2f} on device {device}",
		Names: []string{"step", "loss"}})
	check.NoError(t, err)
	register(t, callbacks.Default.Register(t.Name(), p, callbacks.Options{}))
	runMain(t, func(f *builder.Func) []builder.Value {
		step, loss := f.Constant(tensor.Scalar[int32](3)), f.Constant(tensor.Scalar[float32](0.125))
		builder.Tap([]builder.Value{step, loss}, builder.Callback{Name: t.Name(), In: f})
		return []builder.Value{step}
	})
	if d := cmp.Diff("3: loss 0.12 on device 0\n", out.String()); d != "" {
		t.Error(d)
	}
}

// register takes what was registered under the test's name back at its end.
func register(t *testing.T, err error) {
	t.Helper()
	check.NoError(t, err)
	t.Cleanup(func() {
		check.Report(t, callbacks.Default.Unregister(t.Name()))
	})
}

// compileMain builds and compiles @main without parameters; main returns its results.
func compileMain(t *testing.T, main func(f *builder.Func) []builder.Value) *bridge.Executable {
	t.Helper()
	ctx := library.NewContext(mlir.ContextOptions{})
	check.Cleanup(t, ctx)
	b := builder.New(ctx, builder.Options{})
	f := b.Func("main")
	f.Return(main(f)...)
	m, err := b.Module()
	check.NoError(t, err)
	return compile(t, m)
}

// runMain compiles and runs once.
func runMain(t *testing.T, main func(f *builder.Func) []builder.Value) []tensor.View {
	t.Helper()
	buffers, err := compileMain(t, main).Run(t.Context())
	check.NoError(t, err)
	return toHost(t, buffers)
}
