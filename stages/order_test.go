package stages_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
)

// ordered returns a module whose callback of the effect "log" is ordered over runs.
func ordered(t *testing.T, effect string) *mlir.Module {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{RuntimeTokens: true})
	f := b.Func("main", shape)
	cb := builder.Callback{Name: "ordered", Effect: effect}
	builder.Tap(f.Param(0), cb)
	builder.Tap(builder.Neg(f.Param(0)), cb)
	f.Return(builder.Neg(f.Param(0)))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return m
}

// TestOrderOverRuns runs a module with runtime tokens in several goroutines. The calls of two runs must not mix.
func TestOrderOverRuns(t *testing.T) {
	var mu sync.Mutex
	var calls []string
	register(t, "ordered", func(f *callbacks.Frame) error {
		runtime.Gosched()
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, fmt.Sprint(f.Args[0].At(0)))
		return nil
	}, callbacks.Options{FailRun: true})
	client := newClient(t)
	for _, o := range []stages.Options{{Devices: stages.On(client.Engine()), Force: cutAll("ordered")}, {}} {
		e, err := stages.Compile(t.Context(), ordered(t, "log"), o)
		check.NoError(t, err)
		check.Cleanup(t, e)
		check.Diff(t, "inputs", "[f32[4]]", fmt.Sprint(e.Inputs()))
		check.Diff(t, "outputs", "[f32[4]]", fmt.Sprint(e.Outputs()))
		whole, err := stages.Compile(t.Context(), ordered(t, builder.AllEffects),
			stages.Options{Devices: stages.On(client.Engine())})
		check.NoError(t, err)
		check.Cleanup(t, whole)
		calls = nil
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				program := e
				if i%4 == 3 && o.Devices != nil {
					program = whole // runs of the same client, which call back
				}
				got, err := program.Call(t.Context(), floats(float32(i+1), 0, 0, 0))
				if err != nil || !strings.HasPrefix(fmt.Sprint(got), fmt.Sprintf("[f32[4] [-%d ", i+1)) {
					t.Errorf("run %d: %v, %v", i, got, err)
				}
			})
		}
		all.Wait()
		check.Diff(t, "calls", 16, len(calls))
		for i := 0; i+1 < len(calls); i += 2 {
			check.Diff(t, "the second call of a run", "-"+calls[i], calls[i+1])
		}
	}
}

// TestOrderAfterFailure has a run wait for one that fails.
func TestOrderAfterFailure(t *testing.T) {
	var e engine.Executable
	waited := make(chan error, 1)
	register(t, "ordered", func(f *callbacks.Frame) error {
		if f.Args[0].At(0) != float32(1) {
			return nil
		}
		entered := stages.Entered()
		go func() {
			_, err := e.Call(t.Context(), floats(2, 2, 2, 2))
			waited <- err
		}()
		for stages.Entered() == entered {
			runtime.Gosched()
		}
		return errCallback
	}, callbacks.Options{FailRun: true})
	e, err := stages.Compile(t.Context(), ordered(t, "log"), stages.Options{})
	check.NoError(t, err)
	check.Cleanup(t, e)
	_, err = e.Call(t.Context(), floats(1, 1, 1, 1))
	check.Diff(t, "the callback's error", true, errors.Is(err, errCallback))
	err = <-waited
	if earlier := new(engine.SequenceError); !errors.As(err, &earlier) || !errors.Is(err, errCallback) {
		t.Errorf("got %v, want a SequenceError", err)
	}
	_, err = e.Call(t.Context(), floats(3, 3, 3, 3))
	check.NoError(t, err)
}
