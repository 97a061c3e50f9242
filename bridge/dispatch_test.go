package bridge

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// ways are the values of Dispatch for calls with results.
var ways = []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred}

// registerWith is like register, with options.
func registerWith(t testing.TB, o callbacks.Options, fn callbacks.Func) (name string) {
	t.Helper()
	name = strings.ReplaceAll(t.Name(), "/", ".")
	check.NoError(t, callbacks.Default.Register(name, fn, o))
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
func TestWaysOfDispatch(t *testing.T) { onEngines(t, testWaysOfDispatch) }

func testWaysOfDispatch(t *testing.T, on testEngine) {
	for _, way := range ways {
		for _, form := range []contract.Form{contract.Passthrough, contract.Call, contract.Pure} {
			t.Run(fmt.Sprint(way, "/", form), func(t *testing.T) {
				name := registerWith(t, callbacks.Options{Dispatch: way}, negate)
				config := fmt.Sprintf("callback = %q", name)
				e := on.compile(t, big(form, config))
				for range 5 {
					out, err := e.Call(t.Context(), bigInput(t))
					check.NoError(t, err)
					check.Diff(t, "asynchronous", float32(-64), result[float32](t, out[0])[17])
				}
				const typ = "tensor<3xf32>"
				small := on.compile(t, mainFunc("%x: "+typ, typ,
					"%p = "+custom(form, config, "%x", typ, typ)+"\nreturn %p : "+typ))
				out, err := small.Call(t.Context(), view(t, []float32{1, 2, 3}, 3))
				check.NoError(t, err)
				check.Diff(t, "inline", []float32{-1, -2, -3}, result[float32](t, out[0]))
			})
		}
	}
}

// Every Dispatch works in a loop of compiled code.
func TestWaysOfDispatchInLoop(t *testing.T) { onEngines(t, testWaysOfDispatchInLoop) }

func testWaysOfDispatchInLoop(t *testing.T, on testEngine) {
	const signature = "f32[4]->f32[4]"
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			name := registerWith(t, callbacks.Options{Signature: signature, Dispatch: way}, negate)
			e := on.compile(t, loop(contract.TargetIOCallback, named(name, signature)))
			out, err := e.Call(t.Context(), view(t, []float32{1, 2, 3, 4}, 4), tensor.Scalar(int32(11)))
			check.NoError(t, err)
			check.Diff(t, "result", []float32{-2048, -4096, -6144, -8192}, result[float32](t, out[0]))
		})
	}
}

// With every Dispatch the run returns the same error value, nothing leaks, and the next run
// works.
func TestDispatchErrors(t *testing.T) { onEngines(t, testDispatchErrors) }

func testDispatchErrors(t *testing.T, on testEngine) {
	for _, way := range ways[1:] {
		for what, test := range map[string]struct {
			fn   func(*callbacks.Frame) error
			want any
		}{
			"error":  {func(*callbacks.Frame) error { return errSentinel }, nil},
			"panic":  {func(*callbacks.Frame) error { panic("oops") }, new(*callbacks.PanicError)},
			"goexit": {func(*callbacks.Frame) error { runtime.Goexit(); return nil }, new(*callbacks.GoexitError)},
			"timeout": {func(f *callbacks.Frame) error { <-f.Context().Done(); return nil },
				new(*callbacks.TimeoutError)},
		} {
			t.Run(way.String()+"/"+what, func(t *testing.T) {
				faulty := true
				o := callbacks.Options{Dispatch: way}
				if what == "timeout" {
					o.Timeout = 200 * time.Millisecond // the next run may wait for a worker, too
				}
				name := registerWith(t, o, func(f *callbacks.Frame) error {
					if faulty {
						return test.fn(f)
					}
					return nil
				})
				e := on.compile(t, big(contract.Passthrough, fmt.Sprintf("callback = %q", name)))
				before := buffersAlive()
				for range 3 {
					_, err := e.Call(t.Context(), bigInput(t))
					if test.want == nil {
						check.Diff(t, "the very error", true, causeOf(t, err) == errSentinel)
					} else if !errors.As(err, test.want) {
						t.Errorf("got %v, want a %T", err, test.want)
					}
				}
				check.Diff(t, "buffers alive", before, buffersAlive())
				faulty = false
				if _, err := e.Call(t.Context(), bigInput(t)); err != nil {
					t.Fatal("the next run: ", err)
				}
			})
		}
	}
}
