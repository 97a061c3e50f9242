package bridge

import (
	"context"
	"slices"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/internal/ffi"
)

type onCallerKey struct{}

// OnCaller returns a context with which Executable.Run makes all callbacks on the goroutine
// that called Run, one at a time, whatever their Dispatch. Another goroutine executes the
// module. It is for debugging: the stack of a callback includes the caller of Run, and
// runtime.Goexit, which testing.T.Fatal calls, ends that goroutine as usual. Timeouts do
// not apply. Start ignores it.
//
// The environment variable CALLIOPE_INLINE=1 has the same effect for every client that is
// made.
func OnCaller(ctx context.Context) context.Context {
	return context.WithValue(ctx, onCallerKey{}, true)
}

func isOnCaller(ctx context.Context) bool { return ctx != nil && ctx.Value(onCallerKey{}) != nil }

// runOnCaller is Run with the callbacks on this goroutine.
func (e *Executable) runOnCaller(ctx context.Context, inputs []Input) ([]*Buffer, error) {
	caller := dispatch.NewCaller()
	inside, at := ffi.Inside(), e.client.line()
	own := slices.Clone(inputs) // so that inputs of Run need not escape to the heap
	var r *Run
	var err error
	over := make(chan struct{}) // closed when the run is over or abandoned
	go func() {
		defer close(over)
		if r, err = e.begin(ctx, own, launch{caller, inside, at}); err == nil {
			launchOnHelper(r)
			_, _ = r.Wait(ctx) // result returns the same below
		}
	}()
	returned := false
	defer func() {
		if !returned { // a callback ended this goroutine
			go func() {
				if <-over; err == nil {
					r.discard()
				}
			}()
		}
	}()
	caller.Serve(over)
	returned = true
	if err != nil {
		return nil, err
	}
	return r.result()
}

// discard closes the outputs of a run that is over and has no waiter.
func (r *Run) discard() {
	outputs, _ := r.result()
	for _, b := range outputs {
		_ = b.Close() // there is no caller to return the error to
	}
}
