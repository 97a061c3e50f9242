package tests

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/interpreter"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// onEachEngine runs a test on each engine of this module.
func onEachEngine(t *testing.T, test func(t *testing.T, e engine.Engine)) {
	plugin := check.Must(bridge.Open(bridge.OpenOptions{}))
	for name, open := range map[string]func(t *testing.T) engine.Engine{
		"XLA": func(t *testing.T) engine.Engine {
			c := check.Must(plugin.NewClient(bridge.ClientOptions{}))
			check.Cleanup(t, c)
			return c.Engine()
		},
		"JIT":         func(*testing.T) engine.Engine { return jit.Engine() },
		"interpreter": func(*testing.T) engine.Engine { return interpreter.Engine() },
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// compileOn compiles what build makes of a parameter f32[2].
func compileOn(
	t *testing.T, e engine.Engine, donate bool, build func(x builder.Value) []builder.Value,
) engine.Executable {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.FuncWith("main", builder.Signature{
		Params: []builder.Param{{Name: "x", Shape: tensor.ShapeOf(tensor.F32, 2), Donate: donate}}})
	f.Return(build(f.Param(0))...)
	m := check.Must(b.Module())
	made := check.Must(load.Compile(t.Context(), m, stages.Options{Devices: stages.On(e)}, native.EnsureOptions{}))
	check.Cleanup(t, made)
	return made
}

// registered registers a callback for the time of a test.
func registered(t *testing.T, fn callbacks.Func) builder.Callback {
	t.Helper()
	check.NoError(t, callbacks.Default.Register(t.Name(), fn, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(t.Name())) })
	return builder.Callback{Name: t.Name()}
}

func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got the error %v, want %v", err, want)
	}
}

// TestContractOfEngines holds what package engine says of executables, on each engine.
func TestContractOfEngines(t *testing.T) {
	in := tensor.Vector[float32](1, 2)
	onEachEngine(t, func(t *testing.T, e engine.Engine) {
		t.Run("arrays", func(t *testing.T) {
			p := compileOn(t, e, true,
				func(x builder.Value) []builder.Value { return []builder.Value{builder.Add(x, 1)} })
			check.Diff(t, "inputs", []tensor.Shape{in.Shape}, p.Inputs())
			check.Diff(t, "outputs", []tensor.Shape{in.Shape}, p.Outputs())
			check.Diff(t, "devices", 1, p.NumDevices())
			a := check.Must(e.ArrayFromHost(t.Context(), in, 0))
			check.Diff(t, "owned", true, e.Owns(a))
			kept := check.Must(p.Run(t.Context(), a))
			again := check.Must(p.Run(t.Context(), engine.Donate(a)))
			for _, results := range [][]*engine.Array{kept, again} {
				views := check.Must(engine.ToHost(t.Context(), results))
				check.Diff(t, "results", []tensor.View{tensor.Vector[float32](2, 3)}, views)
			}
			_, err := a.ToHost(t.Context())
			is(t, err, engine.ErrClosed)
			lent := check.Must(p.Run(t.Context(), engine.Borrow(in)))
			check.Diff(t, "results of a borrowed array", []tensor.View{tensor.Vector[float32](2, 3)},
				check.Must(engine.ToHost(t.Context(), lent)))
			_, err = p.Run(t.Context(), tensor.Vector[float32](1, 2, 3))
			if wrong := new(engine.InputError); !errors.As(err, &wrong) || !wrong.Want.Equal(in.Shape) {
				t.Errorf("an input of another shape: %v, want an InputError", err)
			}
			_, err = p.Run(t.Context())
			if count := new(engine.InputCountError); !errors.As(err, &count) || count.Want != 1 {
				t.Errorf("no input: %v, want an InputCountError", err)
			}
		})
		t.Run("callbacks", func(t *testing.T) {
			var mu sync.Mutex
			var seen []float32
			cb := registered(t, func(f *callbacks.Frame) error {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, check.Must(tensor.Slice[float32](f.Args[0]))...)
				copy(f.Results[0].Data, f.Args[0].Data)
				return nil
			})
			cb.Effect = "log"
			p := compileOn(t, e, false, func(x builder.Value) []builder.Value {
				x = builder.Passthrough(x, cb)
				return []builder.Value{builder.Passthrough(builder.Add(x, 1), cb)}
			})
			check.Diff(t, "results", []tensor.View{tensor.Vector[float32](2, 3)}, check.Must(p.Call(t.Context(), in)))
			check.NoError(t, p.Barrier(t.Context(), "test"))
			check.Diff(t, "what the callback saw", []float32{1, 2, 2, 3}, seen)
		})
		t.Run("errors", func(t *testing.T) {
			cause := errors.New("the callback's own error")
			cb := registered(t, func(*callbacks.Frame) error { return cause })
			p := compileOn(t, e, false, func(x builder.Value) []builder.Value {
				return []builder.Value{builder.Passthrough(builder.Add(x, 1), cb)}
			})
			_, err := p.Call(t.Context(), in)
			is(t, err, cause)
			if call := new(callbacks.CallError); !errors.As(err, &call) || call.Callback != cb.Name {
				t.Errorf("got %v, want a CallError of the callback", err)
			}
		})
		t.Run("deadline", func(t *testing.T) {
			cb := registered(t, func(f *callbacks.Frame) error {
				<-f.Context().Done()
				return f.Context().Err()
			})
			p := compileOn(t, e, false, func(x builder.Value) []builder.Value {
				return []builder.Value{builder.Passthrough(builder.Add(x, 1), cb)}
			})
			within, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer stop()
			_, err := p.Call(within, in)
			is(t, err, context.DeadlineExceeded)
		})
		t.Run("Close during a run", func(t *testing.T) {
			entered, leave, results := make(chan struct{}), make(chan struct{}), make(chan error)
			cb := registered(t, func(f *callbacks.Frame) error {
				close(entered)
				<-leave
				copy(f.Results[0].Data, f.Args[0].Data)
				return nil
			})
			p := compileOn(t, e, false, func(x builder.Value) []builder.Value {
				return []builder.Value{builder.Passthrough(builder.Add(x, 1), cb)}
			})
			over := make(chan struct{})
			p.OnClose(func() { close(over) })
			go func() {
				views, err := p.Call(t.Context(), in)
				if err == nil && !slices.Equal(views[0].Data, tensor.Vector[float32](2, 3).Data) {
					err = errors.New("the run in flight returned other elements")
				}
				results <- err
			}()
			<-entered
			check.NoError(t, p.Close())
			_, err := p.Call(t.Context(), in)
			is(t, err, engine.ErrClosed)
			select {
			case <-over:
				t.Error("OnClose came before the end of the last run")
			default:
			}
			close(leave)
			check.NoError(t, <-results)
			<-over
		})
	})
}
