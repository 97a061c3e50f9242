package dispatch_test

import (
	"context"
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A call that was not made, because its run had ended, is not a failure of the function.
func TestExpired(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async,
		callbacks.Deferred} {
		t.Run(way.String(), func(t *testing.T) {
			called := 0
			r, s := bound(t, contract.Observe, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: way},
				func(*callbacks.Frame) error { called++; return nil })
			ctx, cancel := context.WithCancel(t.Context())
			g, run := group(t), new(dispatch.Run)
			g.Begin(ctx, run, dispatch.RunOptions{})
			cancel()
			if err := invoke(s, frame(run, contract.Observe, 1)); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			run.End()
			stat := r.Stats()[0]
			check.Diff(t, "called, expired, failed", []int64{0, 1, 0},
				[]int64{int64(called), stat.Expired, stat.Failed})
			check.Diff(t, "sum", stat.Fired, stat.Expired)
		})
	}
}

// A call that times out while it waits for a worker expires, and the one that has the worker fails.
func TestExpiredWaiting(t *testing.T) {
	leave := make(chan struct{})
	r, s := bound(t, contract.Call, callbacks.RegistryOptions{Workers: 1, Timeout: short},
		callbacks.Options{Dispatch: callbacks.Goroutine}, func(*callbacks.Frame) error { <-leave; return nil })
	var errs [2]error
	done := make(chan struct{})
	go func() {
		defer close(done)
		errs[0] = invoke(s, frame(nil, contract.Call, 1))
	}()
	errs[1] = invoke(s, frame(nil, contract.Call, 1))
	<-done
	close(leave)
	waited := 0
	for _, err := range errs {
		if check.As[*callbacks.TimeoutError](t, err).Waiting != "" {
			waited++
		}
	}
	stat := r.Stats()[0]
	check.Diff(t, "expired, failed", []int64{int64(waited), int64(2 - waited)}, []int64{stat.Expired, stat.Failed})
}
