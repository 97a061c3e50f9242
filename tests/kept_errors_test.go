package tests

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// A keeper runs a program, and keeps the errors of its calls.
type keeper struct {
	call    func(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error)
	barrier func(ctx context.Context, name string) error
}

// TestKeepErrors fails in every way in a callback with KeepErrors: the run goes on with zeros, or with the operand that
// passes through, and the barrier has the error.
func TestKeepErrors(t *testing.T) {
	mine := errors.New("disk full")
	failures := map[string]struct {
		fn func(f *callbacks.Frame) error
		is func(error) bool
	}{
		"error": {func(f *callbacks.Frame) error {
			if !f.Aliased(0) {
				copy(f.Results[0].Data, []byte{1, 2, 3})
			}
			return mine
		}, func(err error) bool { return errors.Is(err, mine) }},
		"panic": {func(*callbacks.Frame) error { panic("lost") }, isType[*callbacks.PanicError]},
		"replaced": {func(f *callbacks.Frame) error {
			f.Results[0] = tensor.Vector[float32](7, 7, 7)
			return nil
		}, isType[*callbacks.ReplacedError]},
		"replaced and error": {func(f *callbacks.Frame) error {
			f.Results = append(f.Results[:0:0], tensor.Vector[float32](7, 7, 7))
			return mine
		}, func(err error) bool { return errors.Is(err, mine) }},
		"late": {func(f *callbacks.Frame) error {
			<-f.Context().Done()
			return nil
		}, isType[*callbacks.TimeoutError]},
	}
	for _, form := range []contract.Form{contract.Call, contract.Passthrough} {
		for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred} {
			for name, failure := range failures {
				t.Run(fmt.Sprintf("%s %s %s", form, way, name), func(t *testing.T) {
					o := callbacks.Options{Dispatch: way, KeepErrors: true}
					if name == "late" {
						o.Timeout = 50 * time.Millisecond
					}
					check.NoError(t, callbacks.Default.Register(t.Name(), failure.fn, o))
					t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(t.Name())) })
					for engine, e := range keepersOf(t, form) {
						out, err := e.call(t.Context(), tensor.Vector[float32](1, 2, 3))
						check.NoError(t, err)
						want := "[f32[3] [1 1 1]]"
						if form == contract.Passthrough {
							want = "[f32[3] [2 3 4]]"
						}
						check.Diff(t, engine, want, fmt.Sprint(out))
						if err := e.barrier(t.Context(), "b"); !isType[*callbacks.TapErrors](err) || !failure.is(err) {
							t.Errorf("%s: the barrier has %v", engine, err)
						}
						check.NoError(t, e.barrier(t.Context(), "b"))
					}
				})
			}
		}
	}
}

// keepersOf compiles a call of the test's callback, and the sum of its result and 1, on XLA and package jit.
func keepersOf(t *testing.T, form contract.Form) map[string]keeper {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 3))
	x, cb := f.Param(0), builder.Callback{Name: t.Name()}
	if form == contract.Passthrough {
		x = builder.Passthrough(x, cb)
	} else {
		x = builder.RuntimeCall(builder.Like(x.Shape()), x, cb)
	}
	f.Return(builder.Add(x, 1.0))
	m := check.Must(b.Module())
	check.Cleanup(t, m)
	j := check.Must(jit.Compile(t.Context(), m, jit.Options{}))
	check.Cleanup(t, j)
	client := newClient(t, 0)
	e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}),
		engine.CompileOptions{OptimizationLevel: engine.NoOptimization})
	check.NoError(t, err)
	check.Cleanup(t, e)
	return map[string]keeper{"jit": {j.Call, j.Barrier}, "xla": {e.Call, client.Barrier}}
}
