package tests

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestFailureOnOneDevice fails in a callback on one device while the others wait for it in a collective operation,
// in a loop with more of them. The run ends with the function's error, and the next one works.
func TestFailureOnOneDevice(t *testing.T) {
	type failure struct {
		name string
		fn   func(f *callbacks.Frame) error
		is   func(error) bool
	}
	mine := errors.New("disk full")
	failures := []failure{
		{"error", func(*callbacks.Frame) error { return mine }, func(err error) bool { return errors.Is(err, mine) }},
		{"panic", func(*callbacks.Frame) error { panic("lost") }, isType[*callbacks.PanicError]},
		{"Goexit", func(*callbacks.Frame) error { runtime.Goexit(); return nil }, isType[*callbacks.GoexitError]},
		{"wrong result", func(f *callbacks.Frame) error {
			f.Results = append(f.Results[:0:0], tensor.Scalar(true))
			return nil
		}, isType[*callbacks.ReplacedError]},
	}
	client := newClient(t, 2)
	for _, p := range onMesh[1:] {
		for _, form := range []contract.Form{contract.Passthrough, contract.Call} {
			for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred} {
				t.Run(fmt.Sprintf("%s %d %s %s", p.kind(), p.device, form, way), func(t *testing.T) {
					var fail atomic.Pointer[failure]
					var calls atomic.Int64
					check.NoError(t, callbacks.Default.Register(t.Name(), func(f *callbacks.Frame) error {
						if now := fail.Load(); now != nil && f.Device == p.device && calls.Add(1) == 2 {
							return now.fn(f)
						}
						copy(f.Results[0].Data, f.Args[0].Data)
						return nil
					}, callbacks.Options{Dispatch: way}))
					t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(t.Name())) })
					e := failingProgram(t, client, p, form)
					inputs := []tensor.View{tensor.Vector[float32](1, 2), tensor.Vector[float32](3, 4)}
					want := fmt.Sprint(check.Must(e.Call(t.Context(), inputs...)))
					for _, now := range failures {
						if now.name == "Goexit" && way == callbacks.Inline {
							continue // ends the process, as its message says
						}
						calls.Store(0)
						fail.Store(&now)
						if _, err := e.Call(t.Context(), inputs...); !now.is(err) {
							t.Errorf("%s: %v", now.name, err)
						}
						fail.Store(nil)
						check.Diff(t, "the next run", want, fmt.Sprint(check.Must(e.Call(t.Context(), inputs...))))
					}
				})
			}
		}
	}
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// failingProgram compiles a loop of three iterations, each of which calls and then adds the sum of the array.
func failingProgram(t *testing.T, client *bridge.Client, p placement, form contract.Form) *bridge.Executable {
	t.Helper()
	b := builder.New(mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), builder.Options{})
	b.Mesh("mesh", builder.Axis{Name: "x", Size: 2})
	split := []builder.Sharding{{Mesh: "mesh", Dims: [][]string{{"x"}}}}
	f := b.FuncWith("main", builder.Signature{
		Params:  []builder.Param{{Shape: tensor.ShapeOf(tensor.F32, 4), Sharding: split[0]}},
		Results: []builder.Result{{Sharding: split[0]}},
	})
	call := func(x builder.Value) builder.Value {
		cb := builder.Callback{Name: t.Name(), Policy: p.policy.On(p.device), Effect: "e"}
		if form == contract.Passthrough {
			return builder.Passthrough(x, cb)
		}
		return builder.RuntimeCall(builder.Like(x.Shape()), x, cb)
	}
	f.Return(builder.Loop(builder.Scalar[int32](f, 3), f.Param(0), func(_, x builder.Value) builder.Value {
		if p.whole {
			x = call(x)
		} else {
			x = builder.Manual("mesh", split, split, x, call)
		}
		return builder.Add(x, builder.Div(builder.ReduceSum(x), 10.0))
	}, builder.LoopOptions{}))
	m := check.Must(b.Module())
	check.Cleanup(t, m)
	e := check.Must(client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}),
		engine.CompileOptions{Partitions: 2, OptimizationLevel: engine.NoOptimization}))
	check.Cleanup(t, e)
	return e
}
