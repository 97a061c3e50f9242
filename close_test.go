package calliope_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A call goes on while its Function is closed, and so do its closures and callbacks.
func TestCloseDuringCall(t *testing.T) {
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		const iterations = 5
		inside, closed := make(chan struct{}), make(chan struct{})
		var once sync.Once
		hold := func() {
			once.Do(func() {
				close(inside)
				<-closed
			})
		}
		calls, named := 0, 0
		f := calliope.FuncWith(func(x builder.Value) builder.Value {
			return builder.Loop(builder.Scalar(x.Func(), int32(iterations)), x, func(_, x builder.Value) builder.Value {
				x = calliope.Passthrough(builder.Add(x, 1), func(context.Context,
					float32) error {
					hold()
					calls++
					return nil
				})
				return builder.Passthrough(x, builder.Callback{Name: t.Name()})
			}, builder.LoopOptions{})
		}, calliope.FuncOptions{Session: s, Callbacks: map[string]callbacks.Func{
			t.Name(): func(*callbacks.Frame) error { named++; return nil },
		}})
		var got float32
		var err error
		over := make(chan struct{})
		go func() {
			defer close(over)
			got, err = calliope.Call[float32](t.Context(), f, float32(1))
		}()
		<-inside
		check.NoError(t, f.Close())
		close(closed)
		<-over
		check.NoError(t, err)
		check.Diff(t, "result", float32(1+iterations), got)
		check.Diff(t, "calls", []int{iterations, iterations}, []int{calls, named})
		check.Error(t, callbacks.Default.Unregister(t.Name()), t.Name()) // the end of the call did
	})
}

// What is compiled for a call that gives up is there for a later one, and is compiled once.
func TestDeadlineDuringCompile(t *testing.T) {
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		built := 0
		f := calliope.FuncWith(func(x builder.Value) builder.Value {
			built++
			for range 30 {
				x = builder.Add(builder.Sin(x), builder.Reverse(x, 0))
			}
			return x
		}, calliope.FuncOptions{Session: s})
		ended, end := context.WithCancelCause(t.Context())
		end(errMine)
		before := runtime.NumGoroutine()
		for range 50 {
			_, err := calliope.Call[[]float32](ended, f, []float32{1, 2})
			if !errors.Is(err, errMine) && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if more := runtime.NumGoroutine() - before; more > 10 {
			t.Errorf("there are %d more goroutines", more)
		}
		_, err := calliope.Call[[]float32](t.Context(), f, []float32{1, 2})
		check.NoError(t, err)
		check.Diff(t, "built", 1, built)
		check.NoError(t, f.Close())
	})
}

var errMine = errors.New("mine")

// Close ends a compile that nobody waits for.
func TestCloseDuringCompile(t *testing.T) {
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		f := calliope.FuncWith(func(x builder.Value) builder.Value {
			return calliope.Passthrough(builder.Sin(x), func(context.Context, float32) error { return nil })
		}, calliope.FuncOptions{Session: s})
		ended, end := context.WithCancel(t.Context())
		end()
		_, err := calliope.Call[float32](ended, f, float32(1))
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		check.NoError(t, f.Close())
		_, err = calliope.Call[float32](t.Context(), f, float32(1))
		if !errors.Is(err, callbacks.ErrClosed) {
			t.Error(err)
		}
	})
}

// The first caller of the default session may leave before it is open.
func TestDefaultDeadline(t *testing.T) {
	previous := calliope.SetDefault(nil)
	defer func() {
		s := calliope.SetDefault(previous)
		check.NoError(t, s.Close())
	}()
	ended, end := context.WithTimeout(t.Context(), time.Nanosecond)
	defer end()
	for range 3 {
		if _, err := calliope.Default(ended); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
	first := check.Must(calliope.Default(t.Context()))
	check.Diff(t, "the same", true, first == check.Must(calliope.Default(t.Context())))
}
