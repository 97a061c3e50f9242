package bridge

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/internal/ffi"
	"github.com/calliope-mlir/calliope/internal/pjrt"
)

// Run is one execution. It is safe for concurrent use.
type Run struct {
	exec    *Executable
	id      int32
	calls   dispatch.Run // what its callbacks have in common
	several bool         // devices
	debug   bool

	pjrt     pjrt.Run
	device   int     // where it runs, for a run on one device
	inputs   []input // in use until the run is over
	few      [4]input
	inside   []int64 // what the caller's thread is inside of, see ffi.Inside
	gates    int     // how many of its devices it has a place on
	alone    bool    // when it was let in, no other run was on its device
	reserved int     // buffers for its outputs

	// A callback was called, and may have kept the run's context.
	called atomic.Bool

	// Whoever waits is inside of XLA, and cannot leave.
	held atomic.Bool
	// Closed when XLA has it, for who waits for that alone.
	launched chan struct{}

	mu        sync.Mutex
	settled   bool // its results are known, and it cannot be abandoned any more
	over      bool
	abandoned bool          // nobody will take the outputs
	ended     chan struct{} // closed when it is over; made by the first who asks
	wake      chan struct{} // closed when it is over or abandoned; likewise
	outputs   []*Buffer
	err       error
	refused   bool // nothing was executed
}

// grace is how long a Wait whose context has ended still waits: most runs end
// when their next callback does.
const grace = 100 * time.Millisecond

// Start begins an execution and returns while it runs; XLA executes a small
// module (up to about 1000 operations on elements) before Start returns. Start waits
// while 32 runs are under way on the device. The inputs are in the order of the module's
// parameters, device by device where it runs on several. ctx is the context of the
// callbacks: when it ends, they fail, and Start returns if it has not.
//
// Every Run that Start gives is to be waited for, with Wait.
func (e *Executable) Start(ctx context.Context, inputs ...Input) (*Run, error) {
	r, err := e.begin(ctx, inputs, launch{inside: ffi.Inside()})
	if err != nil {
		return nil, err
	}
	if r.mayStay(ctx) {
		r.launch(true, false)
	} else if err := r.launchElsewhere(ctx); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused {
		return nil, r.err
	}
	return r, nil
}

// Run executes the module and waits for it. It is Start and Wait.
func (e *Executable) Run(ctx context.Context, inputs ...Input) ([]*Buffer, error) {
	if e.client.onCall || isOnCaller(ctx) {
		return e.runOnCaller(ctx, inputs)
	}
	r, err := e.begin(ctx, inputs, launch{inside: ffi.Inside()})
	if err != nil {
		return nil, err
	}
	if !r.mayStay(ctx) {
		help(r)
		return r.Wait(ctx)
	}
	if !r.launch(true, true) {
		return r.Wait(ctx)
	}
	outputs, err := r.result()
	r.reuse()
	return outputs, err
}

// spareRuns are runs that are over and that nobody knows.
var spareRuns = sync.Pool{New: func() any { return new(Run) }}

// reuse makes the run another one, if nobody can have kept it or its context. It is over,
// and this goroutine has ended it.
func (r *Run) reuse() {
	if !r.abandoned && !r.called.Load() && !r.calls.Shared() {
		*r = Run{}
		spareRuns.Put(r)
	}
}

// mayStay reports whether the run may be launched by who waits for it: what cannot end
// needs nobody else, and where XLA only begins the run there, it comes back at once.
func (r *Run) mayStay(ctx context.Context) bool {
	return ctx.Done() == nil || !r.several && r.exec.async.Load()
}

// Done is closed when the run is over.
func (r *Run) Done() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return channel(&r.ended, r.over)
}

// channel makes a channel that is closed if and when something has happened.
func channel(at *chan struct{}, happened bool) chan struct{} {
	if *at == nil {
		*at = make(chan struct{})
		if happened {
			close(*at)
		}
	}
	return *at
}

// Wait waits for the run and returns its outputs, device by device, which the
// caller closes. An error of a callback is returned as the very value that the
// callback returned, a panic as a callbacks.PanicError. A run that stands still behind
// a callback is a *[StallError].
//
// When ctx ends first, the run's further callbacks fail, and Wait returns
// ctx.Err() within a tenth of a second even if XLA is still busy; the inputs and
// outputs are freed when it is done. Waiting again gives the same results.
func (r *Run) Wait(ctx context.Context) ([]*Buffer, error) {
	r.mu.Lock()
	if r.over || r.abandoned {
		defer r.mu.Unlock()
		return r.outputs, r.err
	}
	wake := channel(&r.wake, false)
	r.mu.Unlock()
	select {
	case <-wake:
		return r.result()
	case <-ctx.Done():
	}
	if r.leave(ctx.Err()) {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-r.Done():
		case <-timer.C:
		}
	}
	return r.result()
}

func (r *Run) result() ([]*Buffer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outputs, r.err
}

// leave gives the run up if it is not over. It returns false if the goroutine that waits
// cannot be notified.
func (r *Run) leave(err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.settled || r.abandoned:
	case r.held.Load():
		return false
	default:
		r.abandoned, r.err = true, err
		r.calls.CancelCause(err)
		close(channel(&r.wake, false))
	}
	return true
}

// left reports whether the run was given up.
func (r *Run) left() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.abandoned
}
