package bridge

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/tensor"
)

// ways are the values of Dispatch for calls with results.
var ways = []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred}

// registerWith is like register, with options.
func registerWith(t testing.TB, o callbacks.Options, fn callbacks.Func) (name string) {
	t.Helper()
	name = strings.ReplaceAll(t.Name(), "/", ".")
	if err := callbacks.Default.Register(name, fn, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { callbacks.Default.Unregister(name) })
	return name
}

func is(t testing.TB, what string, want, got error) {
	t.Helper()
	check.Diff(t, what, want, got, cmpopts.EquateErrors())
}

// negate writes the negated operand to the result.
func negate(call *callbacks.Frame) error {
	in, err := tensor.Slice[float32](call.Args[0])
	if err != nil {
		return err
	}
	out, err := tensor.Slice[float32](call.Results[0])
	for i := range out {
		out[i] = -in[i]
	}
	return err
}

// big returns a module that XLA executes on its own threads: a product, and a call on it.
func big(form contract.Form, config string) string {
	const typ = "tensor<64x64xf32>"
	result := typ
	if form == contract.Observe {
		result = "tensor<i8>"
	}
	return mainFunc("%x: "+typ, result,
		"%d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : ("+typ+", "+typ+") -> "+typ+"\n"+
			"%p = "+custom(form, config, "%d", typ, result)+"\nreturn %p : "+result)
}

func bigInput(t testing.TB) tensor.View {
	in := make([]float32, 64*64)
	for i := range in {
		in[i] = 1
	}
	return view(t, in, 64, 64)
}

// Every Dispatch returns results to XLA, in runs on the caller's thread and on XLA's.
func TestWaysOfDispatch(t *testing.T) {
	c := testClient(t)
	for _, way := range ways {
		for _, form := range []contract.Form{contract.Passthrough, contract.Call, contract.Pure} {
			t.Run(fmt.Sprint(way, "/", form), func(t *testing.T) {
				name := registerWith(t, callbacks.Options{Dispatch: way}, negate)
				config := fmt.Sprintf("callback = %q", name)
				e := compile(t, c, big(form, config), CompileOptions{})
				for range 5 {
					out, err := e.Run(t.Context(), bigInput(t))
					if err != nil {
						t.Fatal(err)
					}
					check.Diff(t, "asynchronous", float32(-64), host[float32](t, out[0])[17])
				}
				const typ = "tensor<3xf32>"
				small := compile(t, c, mainFunc("%x: "+typ, typ, "%p = "+custom(form, config, "%x", typ, typ)+"\nreturn %p : "+typ), CompileOptions{})
				out, err := small.Run(t.Context(), view(t, []float32{1, 2, 3}, 3))
				if err != nil {
					t.Fatal(err)
				}
				check.Diff(t, "inline", []float32{-1, -2, -3}, host[float32](t, out[0]))
			})
		}
	}
}

// A callback in a loop of a run on XLA's threads.
func TestWaysOfDispatchInLoop(t *testing.T) {
	const signature = "f32[4]->f32[4]"
	c := testClient(t)
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			name := registerWith(t, callbacks.Options{Signature: signature, Dispatch: way}, negate)
			e := compile(t, c, loop(contract.TargetIOCallback, named(name, signature)), CompileOptions{})
			run, err := e.Start(t.Context(), view(t, []float32{1, 2, 3, 4}, 4), tensor.Scalar(int32(11)))
			if err != nil {
				t.Fatal(err)
			}
			out, err := run.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			check.Diff(t, "result", []float32{-2048, -4096, -6144, -8192}, host[float32](t, out[0]))
		})
	}
}

// With every Dispatch the run returns the same error value, nothing leaks, and the next run
// works.
func TestDispatchErrors(t *testing.T) {
	c := testClient(t)
	for _, way := range ways[1:] {
		for what, test := range map[string]struct {
			fn   func(*callbacks.Frame) error
			want any
		}{
			"error":   {func(*callbacks.Frame) error { return errSentinel }, nil},
			"panic":   {func(*callbacks.Frame) error { panic("oops") }, new(*callbacks.PanicError)},
			"goexit":  {func(*callbacks.Frame) error { runtime.Goexit(); return nil }, new(*callbacks.GoexitError)},
			"timeout": {func(f *callbacks.Frame) error { <-f.Context().Done(); return nil }, new(*callbacks.TimeoutError)},
		} {
			t.Run(way.String()+"/"+what, func(t *testing.T) {
				faulty := true
				o := callbacks.Options{Dispatch: way}
				if what == "timeout" {
					o.Timeout = 20 * time.Millisecond
				}
				name := registerWith(t, o, func(f *callbacks.Frame) error {
					if faulty {
						return test.fn(f)
					}
					return nil
				})
				e := compile(t, c, big(contract.Passthrough, fmt.Sprintf("callback = %q", name)), CompileOptions{})
				before := buffersAlive()
				for range 3 {
					_, err := e.Run(t.Context(), bigInput(t))
					if test.want == nil {
						check.Diff(t, "the very error", true, err == errSentinel)
					} else if !errors.As(err, test.want) {
						t.Errorf("got %v, want a %T", err, test.want)
					}
				}
				check.Diff(t, "buffers alive", before, buffersAlive())
				faulty = false
				out, err := e.Run(t.Context(), bigInput(t))
				if err != nil {
					t.Fatal("the next run: ", err)
				}
				out[0].Close()
			})
		}
	}
}

// The status that XLA gets for an error.
func TestCodes(t *testing.T) {
	for want, errs := range map[int32][]error{
		codeCancelled:       {context.Canceled, fmt.Errorf("x: %w", context.Canceled)},
		codeDeadline:        {context.DeadlineExceeded, &callbacks.TimeoutError{}},
		codeNotFound:        {&callbacks.UnknownError{}},
		codeInvalidArgument: {&frameError{"f", errSentinel}, &callbacks.TemplateError{}, &callbacks.SignatureError{}},
		codeInternal:        {errSentinel, &callbacks.PanicError{Value: context.Canceled}, &callbacks.GoexitError{}, oddIs{}, oddError{}},
	} {
		for _, err := range errs {
			code, message := statusOf("f", nil, err)
			if code != want || message == "" {
				t.Errorf("%T: XLA gets %d %q, want %d", err, code, message, want)
			}
		}
	}
}

// Deferred calls of one run that do not depend on one another overlap: each waits until all
// have begun.
func TestDeferredOverlap(t *testing.T) {
	const calls = 20
	var inside atomic.Int32
	all := make(chan bool)
	r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{Workers: calls})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	err = r.Register("f", func(f *callbacks.Frame) error {
		if inside.Add(1) == calls {
			close(all)
		}
		select {
		case <-all:
			return negate(f)
		case <-f.Context().Done():
			return f.Context().Err()
		}
	}, callbacks.Options{Dispatch: callbacks.Deferred})
	if err != nil {
		t.Fatal(err)
	}
	const typ = "tensor<64x64xf32>"
	// Each result is an output: XLA treats calls that share memory as dependent.
	body, results, types := "", "", ""
	for i := range calls {
		call := custom(contract.Call, fmt.Sprintf("callback = \"f\", registry = %q", r.Name()), "%x", typ, typ)
		body += fmt.Sprintf("%%p%d = %s\n", i, call)
		results += fmt.Sprintf(", %%p%d", i)
		types += ", " + typ
	}
	e := compile(t, testClient(t), mainFunc("%x: "+typ, types[2:], body+"return "+results[2:]+" : "+types[2:]), CompileOptions{})
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	out, err := e.Run(ctx, bigInput(t))
	if err != nil {
		t.Fatal(err, " with calls inside: ", inside.Load())
	}
	for _, b := range out {
		check.Diff(t, "result", float32(-1), host[float32](t, b)[5])
	}
}

// A tap's error does not fail the run; the barrier returns it.
func TestTapDoesNotFailTheRun(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async, callbacks.Deferred} {
		t.Run(way.String(), func(t *testing.T) {
			c := testClient(t)
			name := registerWith(t, callbacks.Options{Dispatch: way}, func(*callbacks.Frame) error { return errSentinel })
			e := compile(t, c, big(contract.Observe, fmt.Sprintf("callback = %q", name)), CompileOptions{})
			for range 3 {
				out, err := e.Run(t.Context(), bigInput(t))
				if err != nil {
					t.Fatal(err)
				}
				check.Diff(t, "token", []int8{0}, host[int8](t, out[0]))
			}
			err := c.Barrier(t.Context(), "end")
			is(t, "barrier", errSentinel, err)
			if all := new(callbacks.TapErrors); !errors.As(err, &all) || all.Count != 3 {
				t.Errorf("got %v, want three errors", err)
			}
			is(t, "next barrier", nil, c.Barrier(t.Context(), "end"))
		})
	}
}

// A check is a tap that fails its run.
func TestTapThatFailsTheRun(t *testing.T) {
	name := registerWith(t, callbacks.Options{FailRun: true}, func(*callbacks.Frame) error { return errSentinel })
	c := testClient(t)
	e := compile(t, c, big(contract.Observe, fmt.Sprintf("callback = %q", name)), CompileOptions{})
	_, err := e.Run(t.Context(), bigInput(t))
	check.Diff(t, "error", true, err == errSentinel)
	is(t, "barrier", nil, c.Barrier(t.Context(), "end"))
}

// Async taps are delivered in the order of their device, while other devices run.
func TestAsyncOrder(t *testing.T) {
	const runs = 20
	c := testClient(t)
	var mu sync.Mutex
	saw := map[int][]float32{}
	name := registerWith(t, callbacks.Options{Dispatch: callbacks.Async}, func(f *callbacks.Frame) error {
		v, err := tensor.Slice[float32](f.Args[0])
		mu.Lock()
		defer mu.Unlock()
		saw[f.Device] = append(saw[f.Device], v[0])
		return err
	})
	e := compile(t, c, big(contract.Observe, fmt.Sprintf("callback = %q", name)), CompileOptions{})
	var wg sync.WaitGroup
	for device := range 2 {
		wg.Go(func() {
			var list []*Run
			for i := range runs {
				data := make([]float32, 64*64)
				for j := range data {
					data[j] = 1
				}
				for j := range 64 {
					data[j*64] = float32(i) // the first column, which is the first element's
				}
				in, err := c.BufferFromHost(t.Context(), view(t, data, 64, 64), device)
				if err != nil {
					t.Error(err)
					return
				}
				run, err := e.Start(context.Background(), in)
				in.Close()
				if err != nil {
					t.Error(err)
					return
				}
				list = append(list, run)
			}
			for _, run := range list {
				out, err := run.Wait(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				out[0].Close()
			}
		})
	}
	wg.Wait()
	is(t, "barrier", nil, c.Barrier(t.Context(), "end"))
	for device := range 2 {
		if len(saw[device]) != runs {
			t.Fatalf("device %d delivered %d of %d", device, len(saw[device]), runs)
		}
		for i := 1; i < runs; i++ {
			if saw[device][i] < saw[device][i-1] {
				t.Errorf("device %d delivered %v", device, saw[device])
				break
			}
		}
	}
}

// If all threads of the client are in callbacks that wait forever, cancelling ends the runs.
func TestAllThreadsInsideCallbacks(t *testing.T) {
	for _, way := range ways[1:] {
		t.Run(way.String(), func(t *testing.T) {
			const runs = 32
			c := testClient(t)
			leave := make(chan bool)
			defer close(leave)
			name := registerWith(t, callbacks.Options{Dispatch: way}, func(*callbacks.Frame) error { <-leave; return nil })
			e := compile(t, c, big(contract.Passthrough, fmt.Sprintf("callback = %q", name)), CompileOptions{})
			ctx, cancel := context.WithCancel(t.Context())
			var list []*Run
			for i := range runs {
				in, err := c.BufferFromHost(ctx, bigInput(t), i%4)
				if err != nil {
					t.Fatal(err)
				}
				run, err := e.Start(ctx, in)
				in.Close()
				if err != nil {
					t.Fatal(err)
				}
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
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			if err := r.Register("inner", negate, callbacks.Options{Dispatch: callbacks.Goroutine}); err != nil {
				t.Fatal(err)
			}
			small := mainFunc("%x: tensor<1xf32>", "tensor<1xf32>", "%p = "+custom(contract.Passthrough, fmt.Sprintf("callback = \"inner\", registry = %q", r.Name()), "%x", "tensor<1xf32>", "tensor<1xf32>")+"\nreturn %p : tensor<1xf32>")
			same := compile(t, c, small, CompileOptions{})
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
				e, err := inner.Compile(f.Context(), Source(small), CompileOptions{})
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
			if err != nil {
				t.Fatal(err)
			}
			e := compile(t, c, big(contract.Observe, fmt.Sprintf("callback = \"f\", registry = %q", r.Name())), CompileOptions{})
			out, err := e.Run(t.Context(), bigInput(t))
			if err != nil {
				t.Fatal(err)
			}
			out[0].Close()
			is(t, "barrier", nil, c.Barrier(t.Context(), "end"))
			check.Diff(t, "refusals", 4, len(errs))
			for i, err := range errs {
				if want := []string{"InnerClient", "would wait for itself"}[i%2]; err == nil || !strings.Contains(err.Error(), want) {
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
			e := compile(t, testClient(t), summed(name, signature, 4), CompileOptions{Replicas: 4})
			var inputs []Input
			for range 4 {
				inputs = append(inputs, view(t, []float32{1, 1}, 2))
			}
			for i := range 4 {
				faulty.Store(i%2 == 0)
				out, err := e.Run(t.Context(), inputs...)
				if faulty.Load() {
					check.Diff(t, "error", true, err == errSentinel)
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
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
	e := compile(t, testClient(t), passthrough(name, signature, "tensor<4xf32>"), CompileOptions{})
	in := view(t, make([]float32, 4), 4)
	calls := 0
	ctx := callbacks.With(t.Context(), name, func(*callbacks.Frame) error { calls++; return nil })
	for i := range 3 {
		out, err := e.Run(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		out[0].Close()
		check.Diff(t, "calls", i+1, calls)
		_, err = e.Run(t.Context(), in)
		check.Diff(t, "another run", true, err == errSentinel)
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
			e := compile(t, c, big(contract.Passthrough, fmt.Sprintf("callback = %q", name)), CompileOptions{})
			out, err := e.Run(ctx, bigInput(t))
			if err != nil {
				t.Fatal(err)
			}
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
			if err == nil || !strings.Contains(err.Error(), "closed") {
				t.Errorf("got %v, want that it is closed", err)
			}
		})
	}
}

// Close waits for callbacks in flight, and its error lists those that are left.
func TestCloseDrains(t *testing.T) {
	leave := make(chan bool)
	delivered := make(chan bool, 10)
	name := registerWith(t, callbacks.Options{Dispatch: callbacks.Async}, func(*callbacks.Frame) error {
		<-leave
		delivered <- true
		return errSentinel
	})
	for _, limit := range []time.Duration{-1, 20 * time.Millisecond, time.Minute} {
		c, err := testPlugin(t).NewClient(ClientOptions{DrainTimeout: limit})
		if err != nil {
			t.Fatal(err)
		}
		e := compile(t, c, big(contract.Observe, fmt.Sprintf("callback = %q", name)), CompileOptions{})
		out, err := e.Run(t.Context(), bigInput(t))
		if err != nil {
			t.Fatal(err)
		}
		out[0].Close()
		switch {
		case limit < 0:
			is(t, "not waited", nil, c.Close())
			leave <- true
		case limit < time.Second:
			err := c.Close()
			if left := new(callbacks.BarrierError); !errors.As(err, &left) || !strings.Contains(err.Error(), "close client") || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want what was left", err)
			}
			leave <- true
		default:
			go func() { leave <- true }()
			is(t, "drained", errSentinel, c.Close())
			check.Diff(t, "delivered", 1, len(delivered))
		}
		<-delivered
	}
}

// OnClose can unregister what was registered for an executable.
func TestOnClose(t *testing.T) {
	c := testClient(t)
	e, err := c.Compile(t.Context(), Source(mainFunc("%x: tensor<f32>", "tensor<f32>", "return %x : tensor<f32>")), CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	closed := 0
	e.OnClose(func() { closed++ })
	check.Diff(t, "before", 0, closed)
	for range 2 {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	check.Diff(t, "after", 1, closed)
	e.OnClose(func() { closed++ })
	check.Diff(t, "at once", 2, closed)
}

// The counts include call sites of closed executables.
func TestStatsOfExecutables(t *testing.T) {
	const signature = "f32[4]->f32[4]"
	r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Register("f", func(*callbacks.Frame) error { return nil }, callbacks.Options{}); err != nil {
		t.Fatal(err)
	}
	c := testClient(t)
	for range 3 {
		e, err := c.Compile(t.Context(), Source(loop(contract.TargetIOCallback, named("f", signature)+fmt.Sprintf(", registry = %q", r.Name()))), CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.Run(t.Context(), view(t, make([]float32, 4), 4), tensor.Scalar(int32(100)))
		if err != nil {
			t.Fatal(err)
		}
		out[0].Close()
		e.Close()
	}
	want := callbacks.Stat{Callback: "f", Registry: r.Name(), Fired: 300, Delivered: 300}
	check.Diff(t, "stats", []callbacks.Stat{want}, r.Stats())
}

// A tap that is not registered, or is skipped by Every, still makes its token.
func TestSkippedTaps(t *testing.T) {
	c := testClient(t)
	calls := 0
	name := registerWith(t, callbacks.Options{}, func(*callbacks.Frame) error { calls++; return nil })
	for want, config := range []string{
		`callback = "nobody_taps", optional = true`,
		fmt.Sprintf(`callback = %q, every = 1000 : i64`, name),
	} {
		e := compile(t, c, big(contract.Observe, config), CompileOptions{})
		for range 3 {
			out, err := e.Run(t.Context(), bigInput(t))
			if err != nil {
				t.Fatal(err)
			}
			check.Diff(t, "token", []int8{0}, host[int8](t, out[0]))
		}
		check.Diff(t, "calls", want, calls)
	}
}

func TestPlatformError(t *testing.T) {
	want := `bridge: the plugin's platform is "rocm", but compiled code can call Go only on cpu and cuda: open a plugin for one of these`
	check.Diff(t, "text", want, (&PlatformError{"rocm"}).Error())
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
			e := compile(t, testClient(t), strings.ReplaceAll(module, "tensor<4xf32>", typ), CompileOptions{})
			run, err := e.Start(t.Context(), bigInput(t), tensor.Scalar(int32(1000)))
			if err != nil {
				t.Fatal(err)
			}
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
		return mainFunc("%x: tensor<1xf32>", "tensor<1xf32>", "%p = "+custom(contract.Passthrough, fmt.Sprintf("callback = %q", name), "%x", "tensor<1xf32>", "tensor<1xf32>")+"\nreturn %p : tensor<1xf32>")
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
		same, err := c.Compile(f.Context(), Source(small(f.Name)), CompileOptions{})
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
		inner, err := client.Compile(f.Context(), Source(small(f.Name)), CompileOptions{})
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
	e := compile(t, c, small(name), CompileOptions{})
	out, err := e.Run(OnCaller(t.Context()), in)
	if err != nil {
		t.Fatal(err)
	}
	check.Diff(t, "result", []float32{3}, host[float32](t, out[0]))
	for _, err := range refused {
		if err == nil || !strings.Contains(err.Error(), "InnerClient") {
			t.Errorf("got %v, want a refusal", err)
		}
	}
	check.Diff(t, "refusals", 2, len(refused))
	if n := strings.Count(stack, "runOnCaller"); n != 2 || !strings.Contains(stack, "TestNestedOnCaller") {
		t.Errorf("%d callers in the stack:\n%s", n, stack)
	}
}
