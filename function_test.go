package calliope_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.MLIR, native.PJRTPlugin, native.Jaxlib) }

func Example() {
	f := calliope.Func(func(x builder.Value) builder.Value {
		y := calliope.Passthrough(builder.Floor(x), func(_ context.Context,
			v []float32) error {
			fmt.Println("in Go:", v)
			return nil
		})
		return builder.Mul(y, y)
	})
	defer f.Close()
	y, err := calliope.Call[[]float32](context.Background(), f, []float32{0.5, 1.5, 2.5, 3.5})
	fmt.Println(y, err)
	// Output:
	// in Go: [0 1 2 3]
	// [0 1 4 9] <nil>
}

type params[T any] struct {
	Kernel T
	Layers []layer[T]
	Named  map[string]T
}

type layer[T any] struct{ Scale, Shift T }

func TestTrees(t *testing.T) {
	traced := 0
	f := calliope.Func(func(p params[builder.Value], x builder.Value) (params[builder.Value], builder.Value) {
		traced++
		for i, l := range p.Layers {
			dims := x.Shape().Dims
			x = builder.Add(builder.Mul(x, builder.BroadcastTo(l.Scale, dims...)),
				builder.BroadcastTo(l.Shift, dims...))
			p.Layers[i].Scale = builder.Add(l.Scale, float32(1))
		}
		p.Kernel = builder.Neg(p.Kernel)
		return p, x
	})
	check.Cleanup(t, f)
	type out[T any] struct {
		P params[T]
		X [][]float32
	}
	host := params[tensor.Array[float32]]{
		Kernel: tensor.Array[float32]{Dims: []int{2}, Data: []float32{1, 2}},
		Layers: []layer[tensor.Array[float32]]{
			{tensor.Array[float32]{Data: []float32{2}}, tensor.Array[float32]{Data: []float32{1}}},
			{tensor.Array[float32]{Data: []float32{3}}, tensor.Array[float32]{Data: []float32{0}}},
		},
		Named: map[string]tensor.Array[float32]{"b": {Data: []float32{8}}, "a": {Data: []float32{9}}},
	}
	x := [][]float32{{1, 2}, {3, 4}}
	device, err := calliope.Call[out[calliope.Array]](t.Context(), f, host, x)
	check.NoError(t, err)
	check.Diff(t, "x", [][]float32{{9, 15}, {21, 27}}, device.X)
	again, err := calliope.Call[out[tensor.View]](t.Context(), f, device.P, x)
	check.NoError(t, err)
	check.Diff(t, "x", [][]float32{{16, 28}, {40, 52}}, again.X)
	check.Diff(t, "params", "{f32[2] [1 2] [{f32[] 4 f32[] 1} {f32[] 5 f32[] 0}] map[a:f32[] 9 b:f32[] 8]}",
		fmt.Sprint(again.P))
	check.Diff(t, "traces", 2, traced) // once for host arrays, once for arrays on the device
}

func TestCallbacks(t *testing.T) {
	var lines []string
	type pair[T any] struct{ Step, Loss T }
	f := calliope.Func(func(x builder.Value) builder.Value {
		return builder.Loop(builder.Scalar(x.Func(), int32(3)), x, func(i, x builder.Value) builder.Value {
			calliope.Tap(pair[builder.Value]{i, x},
				func(_ context.Context, p pair[float32]) error {
					lines = append(lines, fmt.Sprint("never", p))
					return nil
				})
			return x
		}, builder.LoopOptions{})
	})
	check.Cleanup(t, f)
	_, err := calliope.Call[float32](t.Context(), f, float32(1))
	check.Error(t, err, "Step: takes f32[], given s32[]")

	g := calliope.Func(func(x builder.Value) builder.Value {
		x = builder.Loop(builder.Scalar(x.Func(), int32(3)), x, func(i, x builder.Value) builder.Value {
			type state[I, F any] struct {
				Step I
				Loss F
			}
			calliope.Tap(state[builder.Value, builder.Value]{i, x},
				func(_ context.Context, p state[int32, float32]) error {
					lines = append(lines, fmt.Sprint(p))
					return nil
				})
			return builder.Mul(x, float32(2))
		}, builder.LoopOptions{})
		calliope.Check(builder.Lt(x, float32(10)), map[string]builder.Value{"loss": x}, "too large")
		two := builder.Like(tensor.ShapeOf(tensor.S32, 2))
		return calliope.RuntimeCall(two, x, func(_ context.Context, x float32) ([]int32, error) {
			return []int32{int32(x), -int32(x)}, nil
		})
	})
	y, err := calliope.Call[[]int32](t.Context(), g, float32(1))
	check.NoError(t, err)
	check.Diff(t, "y", []int32{8, -8}, y)
	check.Diff(t, "lines", []string{"{0 1}", "{1 2}", "{2 4}"}, lines)
	_, err = calliope.Call[[]int32](t.Context(), g, float32(2))
	var failed *callbacks.CheckError
	if !errors.As(err, &failed) {
		t.Errorf("the error of a check is a %T", err)
	}
	check.Error(t, err, "callbacks: the callback called at ", "function_test.go:", "loss = f32[] 16")

	// A closure stays in its process.
	_, err = g.Module(t.Context(), tensor.ShapeOf(tensor.F32))
	check.Error(t, err, "function_test.go:")
	check.NoError(t, g.Close())
	if _, err = calliope.Call[[]int32](t.Context(), g, float32(1)); !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestMistakes(t *testing.T) {
	double := func(x builder.Value) builder.Value { return builder.Add(x, x) }
	for _, test := range []struct {
		name string
		fn   any
		args []any
		want string
	}{
		{"no function", 3, nil, "calliope: Func takes a function of builder values, not a int"},
		{"variadic", func(x ...builder.Value) builder.Value { return x[0] }, nil,
			"calliope: the function is variadic: let it take a slice"},
		{"number of arguments", double, nil, "calliope: the function takes 1 arguments, not 0"},
		{"nil", double, []any{nil}, "calliope: argument 0 is nil"},
		{"no array", double, []any{"text"}, "calliope: argument 0 is a string, which cannot be part of a tree: use calliope.Array, tensor.View"},
		{"ragged", double, []any{[][]int32{{1}, {1, 2}}}, "calliope: argument 0: the slices in it differ in length"},
		{"structure", double, []any{params[float32]{}}, "calliope: argument 0 is a calliope_test.params[float32], and the function takes a builder.Value"},
		{"mistake while building", func(x builder.Value) builder.Value { return builder.Dot(x, builder.Reshape(x, 3)) },
			[]any{float32(1)}, "function_test.go:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := calliope.Func(test.fn)
			_, err := f.Call(t.Context(), test.args...)
			check.Error(t, err, test.want)
			check.NoError(t, f.Close())
		})
	}
	f := calliope.Func(double)
	check.Cleanup(t, f)
	_, err := calliope.Call[float32](t.Context(), f, []float32{1, 2})
	check.Error(t, err, "the result is a float32, which cannot hold f32[2]")
}

// BenchmarkCall makes the same call through the door and without it, in turns, and reports the medians. The door may
// add 1 µs.
func BenchmarkCall(b *testing.B) {
	f := calliope.Func(func(x builder.Value) builder.Value { return builder.Neg(x) })
	defer f.Close()
	x := check.Must(calliope.Call[calliope.Array](b.Context(), f, []float32{1, 2, 3, 4}))
	e := check.Must(f.Executable(b.Context(), x))
	ctx := b.Context()
	var without, with []time.Duration
	for b.Loop() {
		start := time.Now()
		y := check.Must(e.Run(ctx, x))
		between := time.Now()
		z := check.Must(calliope.Call[calliope.Array](ctx, f, x))
		without, with = append(without, between.Sub(start)), append(with, time.Since(between))
		y[0].Close()
		z.Close()
	}
	slices.Sort(without)
	slices.Sort(with)
	middle := len(with) / 2
	b.ReportMetric(float64(without[middle]), "ns/run")
	b.ReportMetric(float64(with[middle]-without[middle]), "ns/door")
}
