package dispatch_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// With brings functions for one run, whatever is bound: a registered function, a
// declared name, or nothing for an optional callback.
func TestWith(t *testing.T) {
	for what, test := range map[string]struct {
		prepare func(r *callbacks.Registry)
		without error // of a run that brings nothing
	}{
		"registered": {func(r *callbacks.Registry) {
			check.NoError(t, r.Register("f", func(*callbacks.Frame) error { return errMine }, callbacks.Options{}))
		}, errMine},
		"dispatched": {func(r *callbacks.Registry) {
			check.NoError(t, r.Register("f", func(*callbacks.Frame) error { return errMine },
				callbacks.Options{Dispatch: callbacks.Goroutine}))
		}, errMine},
		"declared": {func(r *callbacks.Registry) { check.NoError(t, r.Declare("f", callbacks.Options{})) }, nil},
		"optional": {func(*callbacks.Registry) {}, nil},
	} {
		t.Run(what, func(t *testing.T) {
			r := registry(t)
			test.prepare(r)
			s, err := dispatch.Resolve(
				contract.Config{Form: contract.Passthrough, Callback: "f", Registry: r.Name(), Optional: true})
			check.NoError(t, err)
			g := group(t)
			var called []string
			use := func(who string) callbacks.Func {
				return func(*callbacks.Frame) error { called = append(called, who); return nil }
			}
			ctx := r.With(context.Background(), "f", use("outer"))
			inner := r.With(ctx, "f", use("inner"))
			inner = r.With(inner, "g", use("other name"))
			inner = callbacks.With(inner, "f", use("other registry"))
			for _, ctx := range []context.Context{ctx, inner, ctx} {
				var run dispatch.Run
				g.Begin(ctx, &run, dispatch.RunOptions{})
				check.NoError(t, invoke(s, optional(&run)))
				run.End()
			}
			check.Diff(t, "called", []string{"outer", "inner", "outer"}, called)
			run := begin(t, g, dispatch.RunOptions{})
			check.Diff(t, "a run without", test.without, invoke(s, optional(run)), cmpErrors)
		})
	}
}

func TestWithNil(t *testing.T) {
	r := registry2(t, "", func(*callbacks.Frame) error { return nil })
	g := group(t)
	var run dispatch.Run
	g.Begin(r.With(context.Background(), "f", nil), &run, dispatch.RunOptions{})
	defer run.End()
	check.Text(t, invoke(resolve(t, r, contract.Call), frame(&run, contract.Call, 1)),
		`callbacks: callback "f" on device 1: the function that With was given is nil`)
}

// A released callback is unknown, in each way of dispatch.
func TestReleased(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine} {
		r, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: way},
			func(*callbacks.Frame) error { return nil })
		check.NoError(t, r.Unregister("f"))
		check.As[*callbacks.UnknownError](t, invoke(s, frame(nil, contract.Call, 1)))
		r.Close()
	}
}

// The calls are made on the goroutine that serves, so that its stack shows the caller.
func TestServe(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred} {
		t.Run(way.String(), func(t *testing.T) {
			var stack [100]uintptr
			n, calls := 0, 0
			_, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: way},
				func(f *callbacks.Frame) error {
					n = runtime.Callers(0, stack[:])
					calls++
					return double(f)
				})
			caller := dispatch.NewCaller()
			run := begin(t, group(t), dispatch.RunOptions{OnCaller: caller})
			check.Diff(t, "in place", true, s.InPlace(run))
			over := make(chan struct{})
			go func() {
				defer close(over)
				for range 10 {
					f := frame(run, contract.Call, 4)
					check.NoError(t, invoke(s, f))
					check.Diff(t, "result", []int32{8}, ints(t, f.Results[0]))
				}
			}()
			caller.Serve(over)
			check.Diff(t, "calls", 10, calls)
			var names []string
			for frames := runtime.CallersFrames(stack[:n]); ; {
				f, more := frames.Next()
				names = append(names, f.Function)
				if !more {
					break
				}
			}
			if !strings.Contains(strings.Join(names, "\n"), "TestServe.func1\n") {
				t.Errorf("the stack does not show the caller:\n%s", strings.Join(names, "\n"))
			}
		})
	}
}

// A function that ends the serving goroutine, and a cancelled run, leave no call
// waiting.
func TestServeEnds(t *testing.T) {
	_, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{},
		func(*callbacks.Frame) error { runtime.Goexit(); return nil })
	caller := dispatch.NewCaller()
	run := begin(t, group(t), dispatch.RunOptions{OnCaller: caller})
	var wg sync.WaitGroup
	wg.Go(func() { caller.Serve(nil) })
	for range 2 {
		check.As[*callbacks.GoexitError](t, invoke(s, frame(run, contract.Call, 1)))
	}
	wg.Wait()

	run = begin(t, group(t), dispatch.RunOptions{OnCaller: dispatch.NewCaller()})
	waiting := make(chan error)
	go func() { waiting <- invoke(s, frame(run, contract.Call, 1)) }()
	run.Cancel()
	check.Diff(t, "error", context.Canceled, <-waiting, cmpErrors)
}

// optional is a call of an optional callback.
func optional(run *dispatch.Run) call {
	f := frame(run, contract.Passthrough, 1)
	f.Config.Optional = true
	return f
}
