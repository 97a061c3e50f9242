package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// Deferred calls of one run that do not depend on one another overlap: each waits until all
// have begun.
func TestDeferredOverlap(t *testing.T) {
	const calls = 20
	var inside atomic.Int32
	all := make(chan bool)
	r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{Workers: calls})
	check.NoError(t, err)
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
	check.NoError(t, err)
	const typ = "tensor<64x64xf32>"
	// Each result is an output: XLA treats calls that share memory as dependent.
	body, results, types := "", "", ""
	for i := range calls {
		call := custom(contract.Call, fmt.Sprintf("callback = \"f\", registry = %q", r.Name()), "%x", typ, typ)
		body += fmt.Sprintf("%%p%d = %s\n", i, call)
		results += fmt.Sprintf(", %%p%d", i)
		types += ", " + typ
	}
	e := compile(t, testClient(t), mainFunc("%x: "+typ, types[2:], body+"return "+results[2:]+" : "+types[2:]),
		engine.CompileOptions{})
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
func TestTapDoesNotFailTheRun(t *testing.T) { onEngines(t, testTapDoesNotFailTheRun) }

func testTapDoesNotFailTheRun(t *testing.T, on testEngine) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async,
		callbacks.Deferred} {
		t.Run(way.String(), func(t *testing.T) {
			name := registerWith(t, callbacks.Options{Dispatch: way},
				func(*callbacks.Frame) error { return errSentinel })
			e := on.compile(t, big(contract.Observe, fmt.Sprintf("callback = %q", name)))
			for range 3 {
				out, err := e.Call(t.Context(), bigInput(t))
				check.NoError(t, err)
				check.Diff(t, "token", []int8{0}, result[int8](t, out[0]))
			}
			err := callbacks.Barrier(t.Context(), "end")
			is(t, "barrier", errSentinel, err)
			if all := new(callbacks.TapErrors); !errors.As(err, &all) || all.Count != 3 {
				t.Errorf("got %v, want three errors", err)
			}
			is(t, "next barrier", nil, callbacks.Barrier(t.Context(), "end"))
		})
	}
}

// A check is a tap that fails its run.
func TestTapThatFailsTheRun(t *testing.T) { onEngines(t, testTapThatFailsTheRun) }

func testTapThatFailsTheRun(t *testing.T, on testEngine) {
	name := registerWith(t, callbacks.Options{FailRun: true}, func(*callbacks.Frame) error { return errSentinel })
	e := on.compile(t, big(contract.Observe, fmt.Sprintf("callback = %q", name)))
	_, err := e.Call(t.Context(), bigInput(t))
	check.Diff(t, "error", true, causeOf(t, err) == errSentinel)
	is(t, "barrier", nil, callbacks.Barrier(t.Context(), "end"))
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
	e := compile(t, c, big(contract.Observe, fmt.Sprintf("callback = %q", name)), engine.CompileOptions{})
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
				in, err := c.ArrayFromHost(t.Context(), view(t, data, 64, 64), device)
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

// A tap that is not registered, or is skipped by Every, still makes its token.
func TestSkippedTaps(t *testing.T) { onEngines(t, testSkippedTaps) }

func testSkippedTaps(t *testing.T, on testEngine) {
	calls := 0
	name := registerWith(t, callbacks.Options{}, func(*callbacks.Frame) error { calls++; return nil })
	for want, config := range []string{
		`callback = "nobody_taps", optional = true`,
		fmt.Sprintf(`callback = %q, every = 1000 : i64`, name),
	} {
		e := on.compile(t, big(contract.Observe, config))
		for range 3 {
			out, err := e.Call(t.Context(), bigInput(t))
			check.NoError(t, err)
			check.Diff(t, "token", []int8{0}, result[int8](t, out[0]))
		}
		check.Diff(t, "calls", want, calls)
	}
}
