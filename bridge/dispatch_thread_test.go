package bridge

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// If all threads of the client are in callbacks that wait forever, cancelling ends the runs.
func TestAllThreadsInsideCallbacks(t *testing.T) {
	for _, way := range ways[1:] {
		t.Run(way.String(), func(t *testing.T) {
			const runs = 32
			c := testClient(t)
			leave := make(chan bool)
			defer close(leave)
			name := registerWith(t, callbacks.Options{Dispatch: way},
				func(*callbacks.Frame) error { <-leave; return nil })
			e := compile(t, c, big(contract.Passthrough, fmt.Sprintf("callback = %q", name)), engine.CompileOptions{})
			ctx, cancel := context.WithCancel(t.Context())
			var list []*Run
			for i := range runs {
				in, err := c.ArrayFromHost(ctx, bigInput(t), i%4)
				check.NoError(t, err)
				run, err := e.Start(ctx, in)
				in.Close()
				check.NoError(t, err)
				list = append(list, run)
			}
			cancel()
			for _, run := range list {
				<-run.Done()
				_, err := run.Wait(t.Context())
				is(t, "error", context.Canceled, err)
			}
			is(t, "barrier", nil, c.Barrier(t.Context(), "end"))
		})
	}
}

// Nested executions with every Dispatch: the callback's own client returns an error, with
// and without the context, and the inner client works, even with a single worker.
func TestNestedDispatch(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Goroutine, callbacks.Deferred, callbacks.Async} {
		t.Run(way.String(), func(t *testing.T) {
			c := testClient(t)
			r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{Workers: 1, Timeout: 20 * time.Second})
			check.NoError(t, err)
			t.Cleanup(func() { _ = r.Close() })
			check.NoError(t, r.Register("inner", negate, callbacks.Options{Dispatch: callbacks.Goroutine}))
			small := mainFunc("%x: tensor<1xf32>", "tensor<1xf32>",
				"%p = "+custom(contract.Passthrough, fmt.Sprintf("callback = \"inner\", registry = %q", r.Name()), "%x",
					"tensor<1xf32>", "tensor<1xf32>")+"\nreturn %p : tensor<1xf32>")
			same := compile(t, c, small, engine.CompileOptions{})
			var errs []error
			err = r.Register("f", func(f *callbacks.Frame) error {
				in := view(t, []float32{3}, 1)
				for _, ctx := range []context.Context{f.Context(), context.WithoutCancel(t.Context())} {
					_, err := same.Run(ctx, in)
					errs = append(errs, err, c.Barrier(ctx, "inside"))
				}
				inner, err := InnerClient(f.Context())
				if err != nil {
					return err
				}
				e, err := inner.Compile(f.Context(), Source(small), engine.CompileOptions{})
				if err != nil {
					return err
				}
				defer e.Close()
				for _, ctx := range []context.Context{f.Context(), context.WithoutCancel(t.Context())} {
					out, err := e.Run(ctx, in)
					if err != nil {
						return err
					}
					check.Diff(t, "inner result", []float32{-3}, host[float32](t, out[0]))
				}
				return nil
			}, callbacks.Options{Dispatch: way})
			check.NoError(t, err)
			e := compile(t, c, big(contract.Observe, fmt.Sprintf("callback = \"f\", registry = %q", r.Name())),
				engine.CompileOptions{})
			out, err := e.Run(t.Context(), bigInput(t))
			check.NoError(t, err)
			out[0].Close()
			is(t, "barrier", nil, c.Barrier(t.Context(), "end"))
			check.Diff(t, "refusals", 4, len(errs))
			for i, err := range errs {
				if want := []string{"InnerClient", "would wait for itself"}[i%2]; err == nil ||
					!strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want a refusal with %q", err, want)
				}
			}
		})
	}
}

// A callback of one device fails before a collective operation, with every Dispatch.
func TestDispatchBeforeCollective(t *testing.T) {
	const signature = "f32[2]->f32[2]"
	for _, way := range ways[1:] {
		t.Run(way.String(), func(t *testing.T) {
			var faulty atomic.Bool
			name := registerWith(t, callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
				if faulty.Load() && f.Device == 1 {
					return errSentinel
				}
				return nil
			})
			e := compile(t, testClient(t), summed(name, signature, 4), engine.CompileOptions{Replicas: 4})
			var inputs []engine.Input
			for range 4 {
				inputs = append(inputs, view(t, []float32{1, 1}, 2))
			}
			for i := range 4 {
				faulty.Store(i%2 == 0)
				out, err := e.Run(t.Context(), inputs...)
				if faulty.Load() {
					check.Diff(t, "error", true, causeOf(t, err) == errSentinel)
					continue
				}
				check.NoError(t, err)
				for _, b := range out {
					check.Diff(t, "sum", []float32{4, 4}, host[float32](t, b))
				}
			}
		})
	}
}

// callbacks.With sets a function for one run, whatever is registered.
func TestRunsOwnFunction(t *testing.T) {
	const signature = "f32[4]->f32[4]"
	name := register(t, signature, func(*callbacks.Frame) error { return errSentinel })
	e := compile(t, testClient(t), passthrough(name, signature, "tensor<4xf32>"), engine.CompileOptions{})
	in := view(t, make([]float32, 4), 4)
	calls := 0
	ctx := callbacks.With(t.Context(), name, func(*callbacks.Frame) error { calls++; return nil })
	for i := range 3 {
		out, err := e.Run(ctx, in)
		check.NoError(t, err)
		out[0].Close()
		check.Diff(t, "calls", i+1, calls)
		_, err = e.Run(t.Context(), in)
		check.Diff(t, "another run", true, causeOf(t, err) == errSentinel)
	}
}

// With OnCaller the caller of Run is in the stack of the callback, which may end the
// goroutine.
func TestOnCaller(t *testing.T) {
	for _, kind := range []string{"context", "environment"} {
		t.Run(kind, func(t *testing.T) {
			ctx := t.Context()
			if kind == "context" {
				ctx = OnCaller(ctx)
			} else {
				t.Setenv("CALLIOPE_INLINE", "1")
			}
			c := testClient(t)
			stack := ""
			end := false
			name := registerWith(t, callbacks.Options{Dispatch: callbacks.Deferred}, func(f *callbacks.Frame) error {
				text := make([]byte, 1<<16)
				stack = string(text[:runtime.Stack(text, false)])
				if end {
					runtime.Goexit()
				}
				return negate(f)
			})
			e := compile(t, c, big(contract.Passthrough, fmt.Sprintf("callback = %q", name)), engine.CompileOptions{})
			out, err := e.Run(ctx, bigInput(t))
			check.NoError(t, err)
			check.Diff(t, "result", float32(-64), host[float32](t, out[0])[0])
			if !strings.Contains(stack, "TestOnCaller.func") || !strings.Contains(stack, "runOnCaller") {
				t.Errorf("the stack does not show the caller:\n%s", stack)
			}
			end = true
			var wg sync.WaitGroup
			wg.Go(func() {
				_, _ = e.Run(ctx, bigInput(t))
				t.Error("Run came back")
			})
			wg.Wait()
			is(t, "barrier", nil, c.Barrier(t.Context(), "end"))
			e.Close()
			_, err = e.Run(ctx)
			check.Error(t, err, "closed")
		})
	}
}

// A loop on XLA's threads stops if it is cancelled while its callback waits, with every
// Dispatch.
func TestCancelledLoop(t *testing.T) {
	const typ = "tensor<64x64xf32>"
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			entered := make(chan bool)
			calls := 0
			name := registerWith(t, callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
				if calls++; calls == 5 {
					close(entered)
					<-f.Context().Done()
				}
				return nil
			})
			module := loop(contract.TargetIOCallback, fmt.Sprintf("callback = %q", name))
			e := compile(t, testClient(t), strings.ReplaceAll(module, "tensor<4xf32>", typ), engine.CompileOptions{})
			run, err := e.Start(t.Context(), bigInput(t), tensor.Scalar(int32(1000)))
			check.NoError(t, err)
			<-entered
			cancelled, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = run.Wait(cancelled)
			is(t, "error", context.Canceled, err)
			<-run.Done()
			check.Diff(t, "calls", 5, calls)
		})
	}
}

// A callback on the caller's goroutine runs an executable, whose callbacks are on that
// goroutine, too.
func TestNestedOnCaller(t *testing.T) {
	c := testClient(t)
	small := func(name string) string {
		return mainFunc("%x: tensor<1xf32>", "tensor<1xf32>", "%p = "+custom(contract.Passthrough,
			fmt.Sprintf("callback = %q", name), "%x", "tensor<1xf32>", "tensor<1xf32>")+"\nreturn %p : tensor<1xf32>")
	}
	in := view(t, []float32{3}, 1)
	var refused []error
	stack := ""
	name := register(t, "", func(f *callbacks.Frame) error {
		if outer := dispatch.RunOf(f.Context()).Outer(); dispatch.RunOf(outer) != nil {
			text := make([]byte, 1<<16)
			stack = string(text[:runtime.Stack(text, false)])
			return negate(f)
		}
		same, err := c.Compile(f.Context(), Source(small(f.Name)), engine.CompileOptions{})
		if err != nil {
			return err
		}
		defer same.Close()
		for _, ctx := range []context.Context{f.Context(), t.Context()} {
			_, err = same.Run(ctx, in)
			refused = append(refused, err)
		}
		client, err := InnerClient(f.Context())
		if err != nil {
			return err
		}
		inner, err := client.Compile(f.Context(), Source(small(f.Name)), engine.CompileOptions{})
		if err != nil {
			return err
		}
		defer inner.Close()
		out, err := inner.Run(f.Context(), in)
		if err != nil {
			return err
		}
		check.Diff(t, "inner result", []float32{-3}, host[float32](t, out[0]))
		return nil
	})
	e := compile(t, c, small(name), engine.CompileOptions{})
	out, err := e.Run(OnCaller(t.Context()), in)
	check.NoError(t, err)
	check.Diff(t, "result", []float32{3}, host[float32](t, out[0]))
	for _, err := range refused {
		check.Error(t, err, "InnerClient")
	}
	check.Diff(t, "refusals", 2, len(refused))
	if n := strings.Count(stack, "runOnCaller"); n != 2 || !strings.Contains(stack, "TestNestedOnCaller") {
		t.Errorf("%d callers in the stack:\n%s", n, stack)
	}
}
