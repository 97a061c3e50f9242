package calliope_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestTapIf(t *testing.T) {
	var seen []int32
	f := calliope.Func(func(n builder.Value) builder.Value {
		return builder.Loop(n, n, func(i, n builder.Value) builder.Value {
			calliope.TapIf(builder.Gt(i, int32(2)), i, func(_ context.Context, i int32) error {
				seen = append(seen, i)
				if i == 6 {
					return errors.New("six")
				}
				return nil
			})
			return n
		}, builder.LoopOptions{})
	})
	check.Cleanup(t, f)
	_, err := calliope.Call[int32](t.Context(), f, int32(6))
	check.NoError(t, err)
	check.Diff(t, "seen", []int32{3, 4, 5}, seen)
	_, err = calliope.Call[int32](t.Context(), f, int32(7))
	check.Error(t, err, "six", "callback_test.go:")
}

func TestSource(t *testing.T) {
	type batch[X, Y any] struct {
		X X
		Y Y
	}
	f := calliope.Func(func(x builder.Value) builder.Value {
		return builder.Loop(builder.Convert(x, tensor.S32), x, func(i, sum builder.Value) builder.Value {
			like := batch[builder.Value, builder.Value]{builder.Like(tensor.ShapeOf(tensor.F32, 2)),
				builder.Like(tensor.ShapeOf(tensor.F32))}
			b := calliope.RuntimeCall(like, i, func(_ context.Context, i int32) (batch[[]float32, float32], error) {
				if i == 3 {
					return batch[[]float32, float32]{}, errors.New("no more")
				}
				return batch[[]float32, float32]{[]float32{float32(i), 1}, 10}, nil
			})
			return builder.Add(sum, builder.Add(builder.ReduceSum(b.X), b.Y))
		}, builder.LoopOptions{})
	})
	check.Cleanup(t, f)
	y, err := calliope.Call[float32](t.Context(), f, float32(3))
	check.NoError(t, err)
	check.Diff(t, "the sum", float32(3+0+1+2+3+30), y)
	_, err = calliope.Call[float32](t.Context(), f, float32(4))
	check.Error(t, err, "no more", "callback_test.go:")
}

// TestLateCalls holds that Close waits for calls that are made after their run, and returns their errors.
func TestLateCalls(t *testing.T) {
	called := 0
	f := calliope.Func(func(x builder.Value) builder.Value {
		calliope.Tap(x, func(context.Context, float32) error {
			time.Sleep(10 * time.Millisecond)
			called++
			if called == 3 {
				return errors.New("the third")
			}
			return nil
		}, calliope.CallOptions{Dispatch: calliope.Async})
		return x
	})
	for range 3 {
		_, err := calliope.Call[float32](t.Context(), f, float32(1))
		check.NoError(t, err)
	}
	err := f.Close()
	var failed *callbacks.TapErrors
	if !errors.As(err, &failed) {
		t.Errorf("Close: %v", err)
	}
	check.Error(t, err, "the third", "callback_test.go:")
	check.Diff(t, "calls", 3, called)
}

func TestCheckpoint(t *testing.T) {
	type tree = params[builder.Value]
	path := filepath.Join(t.TempDir(), "p.npz")
	f := calliope.Func(func(p tree) builder.Value {
		return builder.Loop(builder.Scalar(p.Kernel.Func(), int32(3)), p.Kernel,
			func(_, k builder.Value) builder.Value {
				p.Kernel = k
				calliope.Checkpoint(path, p)
				return builder.Add(k, k)
			}, builder.LoopOptions{})
	})
	p := params[[]float32]{
		Kernel: []float32{1, 2}, Layers: []layer[[]float32]{{[]float32{3}, []float32{4}}},
		Named: map[string][]float32{"a": {5}},
	}
	_, err := calliope.Call[[]float32](t.Context(), f, p)
	check.NoError(t, err)
	check.NoError(t, f.Close())
	got := params[tensor.View]{Layers: make([]layer[tensor.View], 1), Named: map[string]tensor.View{"a": {}}}
	check.NoError(t, calliope.Restore(path, &got))
	check.Diff(t, "restored", "{f32[2] [4 8] [{f32[1] [3] f32[1] [4]}] map[a:f32[1] [5]]}", fmt.Sprint(got))
	check.Error(t, calliope.Restore(path, &[]float32{1}),
		`it has no array "x", but ["Kernel" "Layers[0].Scale" "Layers[0].Shift" `)
	check.Diff(t, "a number", "calliope: "+path+": Kernel: it is f32[2], which a float32 cannot hold",
		fmt.Sprint(calliope.Restore(path, &struct{ Kernel float32 }{})))
	check.Diff(t, "integers", "calliope: "+path+": Kernel: another element type: it is f32, not s32",
		fmt.Sprint(calliope.Restore(path, &struct{ Kernel []int32 }{})))
	check.Error(t, calliope.Restore("absent.npz", &got), "absent.npz")

	missing := calliope.Func(func(x builder.Value) builder.Value {
		calliope.Checkpoint(filepath.Join(t.TempDir(), "no", "folder.npz"), x)
		return x
	})
	_, err = calliope.Call[float32](t.Context(), missing, float32(1))
	check.Error(t, err, "callback_test.go:", "checkpoint", "no such file or directory")
	check.NoError(t, missing.Close())
}

// Of several options, a later one decides about the fields that it sets.
func TestSeveralOptions(t *testing.T) {
	var seen []int32
	f := calliope.Func(func(n builder.Value) builder.Value {
		return builder.Loop(n, n, func(i, n builder.Value) builder.Value {
			calliope.Tap(i, func(_ context.Context, i int32) error { seen = append(seen, i); return nil },
				calliope.CallOptions{Every: 3, Timeout: time.Minute}, calliope.CallOptions{Every: 2})
			return n
		}, builder.LoopOptions{})
	})
	check.Cleanup(t, f)
	_, err := calliope.Call[int32](t.Context(), f, int32(5))
	check.NoError(t, err)
	check.Diff(t, "seen", []int32{0, 2, 4}, seen)
}
