package dispatch_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

type valueKey struct{}

// The context of a run is what context.WithCancel would give, whether what can be
// waited for was made before its end or after it.
func TestRunContext(t *testing.T) {
	cause := errors.New("the cause")
	ended, end := context.WithCancelCause(context.Background())
	end(cause)
	values := context.WithValue(context.Background(), valueKey{}, 1)
	open, stop := context.WithCancel(values)
	defer stop()
	for what, test := range map[string]struct {
		outer context.Context
		end   func(*dispatch.Run)
		err   error
		cause error
	}{
		"in flight": {values, func(*dispatch.Run) {}, nil, nil},
		"over":      {values, (*dispatch.Run).End, context.Canceled, context.Canceled},
		"cancelled": {open, (*dispatch.Run).Cancel, context.Canceled, context.Canceled},
		"cancelled, then over": {open, func(r *dispatch.Run) { r.CancelCause(cause); r.End() }, context.Canceled,
			cause},
		"cancelled for a cause": {values, func(r *dispatch.Run) { r.CancelCause(cause) }, context.Canceled, cause},
		"over, then for a cause": {values, func(r *dispatch.Run) { r.Cancel(); r.CancelCause(cause) }, context.Canceled,
			context.Canceled},
		"the outer ended": {ended, func(*dispatch.Run) {}, context.Canceled, cause},
	} {
		for _, made := range []bool{false, true} {
			g := group(t)
			var run dispatch.Run
			g.Begin(test.outer, &run, dispatch.RunOptions{})
			ctx := run.Context()
			child, stop := ctx, func() {}
			if made {
				var cancel context.CancelFunc
				child, cancel = context.WithTimeout(ctx, time.Hour)
				stop = cancel
			}
			test.end(&run)
			check.Diff(t, what, test.err, ctx.Err(), cmpErrors)
			check.Diff(t, what+": cause", test.cause, context.Cause(ctx), cmpErrors)
			check.Diff(t, what+": value", test.outer.Value(valueKey{}), ctx.Value(valueKey{}))
			check.Diff(t, what+": run", true, dispatch.RunOf(ctx) == &run && dispatch.RunOf(child) == &run)
			select {
			case <-ctx.Done():
				check.Diff(t, what+": child", test.cause, context.Cause(child), cmpErrors)
				if test.err == nil {
					t.Errorf("%s: it is done", what)
				}
			default:
				if test.err != nil {
					t.Errorf("%s: it is not done", what)
				}
			}
			stop()
			run.End()
		}
	}
}

// What Err says first it says for ever.
func TestRunContextStays(t *testing.T) {
	g := group(t)
	for _, first := range []string{"run", "outer"} {
		outer, end := context.WithDeadline(context.Background(), time.Now().Add(time.Millisecond))
		var run dispatch.Run
		g.Begin(outer, &run, dispatch.RunOptions{})
		want := context.Canceled
		if first == "outer" {
			<-outer.Done()
			want = context.DeadlineExceeded
		}
		if first == "run" {
			run.End()
		}
		check.Diff(t, first, want, run.Context().Err(), cmpErrors)
		<-outer.Done()
		run.End()
		check.Diff(t, first+", later", want, run.Context().Err(), cmpErrors)
		<-run.Context().Done()
		check.Diff(t, first+", at last", want, run.Context().Err(), cmpErrors)
		end()
	}
}

// So does that of a call with a limit, when the call is over before the limit is.
func TestCallContextStays(t *testing.T) {
	var kept context.Context
	const limit = 50 * time.Millisecond
	_, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{Timeout: limit},
		func(f *callbacks.Frame) error {
			kept = f.Context()
			return nil
		})
	check.NoError(t, invoke(s, frame(nil, contract.Call, 1)))
	check.Diff(t, "over", context.Canceled, kept.Err(), cmpErrors)
	at, _ := kept.Deadline()
	time.Sleep(time.Until(at))
	check.Diff(t, "after the limit", context.Canceled, kept.Err(), cmpErrors)
	<-kept.Done()
	check.Diff(t, "at last", context.Canceled, kept.Err(), cmpErrors)
}

// Every waiter is notified, whenever the run ends.
func TestRunContextRace(t *testing.T) {
	g := group(t)
	for range 200 {
		var run dispatch.Run
		g.Begin(t.Context(), &run, dispatch.RunOptions{})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { <-run.Context().Done() })
		}
		run.End()
		wg.Wait()
		check.Diff(t, "error", context.Canceled, run.Context().Err(), cmpErrors)
	}
}
