package bridge

import (
	"context"
	"slices"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/internal/ffi"
)

type onCallerKey struct{}

// OnCaller gives a context with which Executable.Run makes all callbacks on the
// goroutine that called Run, one at a time, whatever their dispatch, while another
// goroutine executes. It is for debugging: the stack in a callback shows who runs, and
// runtime.Goexit, as of testing.T.Fatal, does what it does elsewhere. Timeouts do not
// count. CALLIOPE_INLINE=1 in the environment does it for every client that is made.
// Start knows nothing of it.
func OnCaller(ctx context.Context) context.Context {
	return context.WithValue(ctx, onCallerKey{}, true)
}

func isOnCaller(ctx context.Context) bool { return ctx.Value(onCallerKey{}) != nil }

// runOnCaller is Run where this goroutine makes the callbacks.
func (e *Executable) runOnCaller(ctx context.Context, inputs []Input) ([]*Buffer, error) {
	caller := dispatch.NewCaller()
	inside := ffi.Inside()
	own := slices.Clone(inputs) // so that those of other runs can be on the stack
	var r *Run
	var err error
	over := make(chan struct{}) // or given up
	go func() {
		defer close(over)
		if r, err = e.begin(ctx, own, launch{caller, inside}); err == nil {
			help(r)
			_, _ = r.Wait(ctx) // result gives them again
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

// discard closes the outputs of a run that is over and that nobody waits for.
func (r *Run) discard() {
	outputs, _ := r.result()
	for _, b := range outputs {
		_ = b.Close() // there is no caller to return the error to
	}
}
