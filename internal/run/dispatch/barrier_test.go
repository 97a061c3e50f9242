package dispatch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

var (
	quiet     = slog.New(slog.NewTextHandler(io.Discard, nil))
	cmpErrors = cmpopts.EquateErrors()
)

// A tap's error does not stop the run: the barrier has it, once, and the log.
func TestTapErrors(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async,
		callbacks.Deferred} {
		t.Run(way.String(), func(t *testing.T) {
			var log bytes.Buffer
			g := group(t)
			_, s := bound(t, contract.Observe, callbacks.RegistryOptions{Logger: slog.New(
				slog.NewTextHandler(&log, nil))}, callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
				if f.Args[0].Data[0] == 1 {
					panic("oops")
				}
				return errMine
			})
			run := begin(t, g, dispatch.RunOptions{})
			const calls = 100
			for i := range int32(calls) {
				check.NoError(t, invoke(s, frame(run, contract.Observe, i)))
			}
			run.End()
			err := g.Barrier(t.Context(), "here")
			e := check.As[*callbacks.TapErrors](t, err)
			check.Diff(t, "count", calls, e.Count)
			check.Diff(t, "kept", 64, len(e.Errors))
			check.Diff(t, "is", true, errors.Is(err, errMine) && errors.Is(e.Last(), errMine))
			check.Diff(t, "last", callbacks.CallError{Callback: "f", Device: 1, RunID: 5, Err: errMine}, *e.Errors[63],
				cmpErrors)
			check.Text(t, err, `callbacks: barrier "here": 100 calls failed, the last in run 5: callbacks: callback "f" on device 1: mine`)
			check.Diff(t, "lines in the log", calls, strings.Count(log.String(), "a call failed"))
			check.NoError(t, g.Barrier(t.Context(), "again"))
		})
	}
}

// An error whose Error method panics does no harm.
func TestTapErrorWithoutText(t *testing.T) {
	g := group(t)
	_, s := bound(t, contract.Observe, callbacks.RegistryOptions{Logger: quiet}, callbacks.Options{},
		func(*callbacks.Frame) error { return broken{} })
	run := begin(t, g, dispatch.RunOptions{})
	check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))
	run.End()
	check.Text(t, g.Barrier(t.Context(), "b"), `callbacks: barrier "b": 1 calls failed, the last in run 5: callbacks: callback "f" on device 1: an error of type dispatch_test.broken whose text is not available`)
}

// With FailRun the error fails the run, and so does the end of the run's context, and
// an error in any other form.
func TestErrorsThatFailTheRun(t *testing.T) {
	g := group(t)
	fail := func(*callbacks.Frame) error { return errMine }
	_, s := bound(t, contract.Observe, callbacks.RegistryOptions{}, callbacks.Options{FailRun: true}, fail)
	run := begin(t, g, dispatch.RunOptions{})
	check.Diff(t, "FailRun", errMine, invoke(s, frame(run, contract.Observe, 1)), cmpErrors)
	r := registry2(t, "taps", fail)
	check.Diff(t, "passthrough", errMine,
		invoke(resolve(t, r, contract.Passthrough), frame(run, contract.Passthrough, 1)), cmpErrors)
	run.Cancel()
	check.Diff(t, "cancelled", context.Canceled,
		invoke(resolve(t, r, contract.Observe), frame(run, contract.Observe, 1)), cmpErrors)
	run.End()
	check.NoError(t, g.Barrier(t.Context(), "b"))
}

func registry2(t testing.TB, name string, fn callbacks.Func) *callbacks.Registry {
	t.Helper()
	r, err := callbacks.NewRegistry(t.Name()+name, callbacks.RegistryOptions{})
	check.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	check.NoError(t, r.Register("f", fn, callbacks.Options{}))
	return r
}

// A barrier waits for the runs that were begun before it, and for their queues.
func TestBarrierWaits(t *testing.T) {
	g := group(t)
	leave := make(chan bool)
	delivered := 0
	_, s := bound(t, contract.Observe, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: callbacks.Async},
		func(*callbacks.Frame) error {
			<-leave
			delivered++
			return nil
		})
	run := begin(t, g, dispatch.RunOptions{})
	check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))
	check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))

	ended, stop := context.WithTimeout(t.Context(), short)
	defer stop()
	err := g.Barrier(ended, "early")
	check.Diff(t, "error", context.DeadlineExceeded, err, cmpErrors)
	e := check.As[*callbacks.BarrierError](t, err)
	check.Diff(t, "waiting", 1, len(e.InFlight))
	check.Text(t, err, `callbacks: barrier "early" ended before the callbacks did: in flight are calls of "f": context deadline exceeded`)

	run.End() // the queue is still full
	again, stop := context.WithTimeout(t.Context(), short)
	defer stop()
	check.As[*callbacks.BarrierError](t, callbacks.Barrier(again, "everywhere"))
	done := make(chan error)
	go func() { done <- g.Barrier(t.Context(), "last") }()
	leave <- true
	leave <- true
	check.NoError(t, <-done)
	check.Diff(t, "delivered", 2, delivered)
	run.End() // again, which does nothing
	check.NoError(t, callbacks.Barrier(t.Context(), "everywhere"))
}

// Errors of taps whose context the barrier outlived are not lost.
func TestBarrierKeepsErrors(t *testing.T) {
	g := group(t)
	_, s := bound(t, contract.Observe, callbacks.RegistryOptions{Logger: quiet}, callbacks.Options{},
		func(*callbacks.Frame) error { return errMine })
	run := begin(t, g, dispatch.RunOptions{})
	check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := g.Barrier(ended, "early")
	check.Text(t, err, `callbacks: barrier "early" ended before the callbacks did: runs are in flight: context canceled`)
	run.End()
	other := group(t)
	run = begin(t, other, dispatch.RunOptions{})
	check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))
	run.End()
	err = callbacks.Barrier(t.Context(), "everywhere")
	check.Diff(t, "count", 2, check.As[*callbacks.TapErrors](t, err).Count)
	// Without a run the error is kept all the same.
	check.NoError(t, invoke(s, frame(nil, contract.Observe, 1)))
	check.Diff(t, "count", 1, check.As[*callbacks.TapErrors](t, callbacks.Barrier(t.Context(), "everywhere")).Count)
}

func TestBarrierInside(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async} {
		t.Run(way.String(), func(t *testing.T) {
			g := group(t)
			var errs []error
			_, s := bound(t, contract.Observe, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: way},
				func(f *callbacks.Frame) error {
					errs = append(errs, g.Barrier(f.Context(), "b"), callbacks.Barrier(f.Context(), "b"))
					return nil
				})
			run := begin(t, g, dispatch.RunOptions{})
			check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))
			run.End()
			check.NoError(t, g.Barrier(t.Context(), "end"))
			for _, err := range errs {
				check.Diff(t, "refused", callbacks.ErrBarrierInside, err, cmpErrors)
			}
			check.Diff(t, "refusals", 2, len(errs))
		})
	}
	// Where the context is lost, the thread may know.
	g := dispatch.NewGroup(dispatch.GroupOptions{Inside: func() bool { return true }})
	defer g.Close()
	check.Diff(t, "refused", callbacks.ErrBarrierInside, g.Barrier(t.Context(), "b"), cmpErrors)
}

// Functions on worker goroutines run between Enter and Leave.
func TestEnter(t *testing.T) {
	var mu sync.Mutex
	var order []string
	add := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, what)
	}
	g := dispatch.NewGroup(dispatch.GroupOptions{
		Enter: func(*dispatch.Run) any { add("enter"); return 7 },
		Leave: func(entered any) { add(fmt.Sprint("leave ", entered)) },
	})
	defer g.Close()
	_, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: callbacks.Goroutine},
		func(*callbacks.Frame) error { add("call"); return nil })
	run := begin(t, g, dispatch.RunOptions{})
	check.NoError(t, invoke(s, frame(run, contract.Call, 1)))
	add("over")
	check.Diff(t, "order", []string{"enter", "call", "leave 7", "over"}, order)
}
