package calliope_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestRecursion has Go functions call Functions that are made of them in ways that never end.
func TestRecursion(t *testing.T) {
	ctx := context.Background()
	larger := func(x builder.Value) tensor.Shape { return tensor.ShapeOf(tensor.F32, x.Shape().Dims[0]+1) }
	for name, inner := range map[string]func(f *calliope.Function, x builder.Value) error{
		"module": func(f *calliope.Function, x builder.Value) error {
			m, err := f.Module(ctx, x.Shape())
			if err == nil {
				err = m.Context().Close()
			}
			return err
		},
		"module twice": func(f *calliope.Function, x builder.Value) error {
			_, err := f.Module(ctx, x.Shape())
			_, second := f.Module(ctx, x.Shape())
			return errors.Join(err, second)
		},
		"new shapes": func(f *calliope.Function, x builder.Value) error {
			_, err := f.Executable(ctx, larger(x))
			return err
		},
		"another Function": func(f *calliope.Function, x builder.Value) error {
			again := calliope.Func(func(y builder.Value) builder.Value {
				_, err := f.Executable(ctx, larger(y))
				y.Func().Builder().Fail("again", err)
				return y
			})
			_, err := again.Executable(ctx, x.Shape())
			return errors.Join(err, again.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			depth, deepest := 0, 0
			var f *calliope.Function
			f = calliope.Func(func(x builder.Value) builder.Value {
				depth++
				defer func() { depth-- }()
				deepest = max(deepest, depth)
				x.Func().Builder().Fail("recursion", inner(f, x))
				return x
			})
			check.Cleanup(t, f)
			_, err := f.Call(ctx, []float32{1})
			check.Error(t, err, "Go functions are building modules inside of each other", "let it call the Go function itself")
			if deepest > 64 {
				t.Errorf("it was called %d deep", deepest)
			}
		})
	}
}

// TestRecursionOnGoroutines has each call start a goroutine with a call of another shape.
func TestRecursionOnGoroutines(t *testing.T) {
	calliope.LimitTraces(t, 100*time.Millisecond)
	var f *calliope.Function
	f = calliope.Func(func(x builder.Value) builder.Value {
		over := make(chan error)
		go func() {
			_, err := f.Module(context.Background(), tensor.ShapeOf(tensor.F32, x.Shape().Dims[0]+1))
			over <- err
		}()
		x.Func().Builder().Fail("recursion", <-over)
		return x
	})
	check.Cleanup(t, f)
	_, err := f.Call(t.Context(), []float32{1})
	check.Error(t, err, "64 calls have been building modules by the Go function", "let it call the Go function itself")
}

// TestTwoTraces has a Go function call another Function, whose module is being built on another goroutine: it waits.
func TestTwoTraces(t *testing.T) {
	began, goOn := make(chan struct{}), make(chan struct{})
	slow := calliope.Func(func(x builder.Value) builder.Value {
		close(began)
		<-goOn
		return builder.Add(x, x)
	})
	check.Cleanup(t, slow)
	outer := calliope.Func(func(x builder.Value) builder.Value {
		time.AfterFunc(10*time.Millisecond, func() { close(goOn) })
		two, err := calliope.Call[float32](t.Context(), slow, float32(1))
		check.NoError(t, err)
		return builder.Mul(x, two)
	})
	check.Cleanup(t, outer)
	var first sync.WaitGroup
	first.Go(func() {
		two, err := calliope.Call[float32](t.Context(), slow, float32(1))
		check.Report(t, err)
		check.Diff(t, "the first", float32(2), two)
	})
	<-began
	six, err := calliope.Call[float32](t.Context(), outer, float32(3))
	check.NoError(t, err)
	check.Diff(t, "the outer", float32(6), six)
	first.Wait()
}

// TestRecursiveCallback has a closure call the Function that calls it. XLA refuses the second call, and package jit one
// that is too deep: its stack would end.
func TestRecursiveCallback(t *testing.T) {
	s, err := calliope.Open(t.Context(), calliope.Options{Engine: jit.Engine()})
	check.NoError(t, err)
	check.Cleanup(t, s)
	for _, o := range []calliope.CallOptions{{}, {Dispatch: calliope.Goroutine}} {
		for _, outside := range []bool{false, true} {
			var f *calliope.Function
			f = calliope.FuncWith(func(x builder.Value) builder.Value {
				fn := func(ctx context.Context, v float32) (float32, error) {
					if outside {
						ctx = context.Background()
					}
					return calliope.Call[float32](ctx, f, v+1)
				}
				return calliope.PureCall(builder.Like(x.Shape()), x, fn, o)
			}, calliope.FuncOptions{Session: s})
			check.Cleanup(t, f)
			_, err := calliope.Call[float32](t.Context(), f, float32(1))
			check.Error(t, err, "8 runs are inside of callbacks of each other")
		}
	}
}
