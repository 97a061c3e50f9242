package bridge

import (
	"context"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/bridge/internal/wait"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Run is one execution. It is safe for concurrent use.
type Run struct {
	exec   *Executable
	served serve.Run // what its callbacks need of it
	at     string    // in debug mode, the line that started it
	start  start     // if its context can end

	pjrt     pjrt.Run
	device   int     // of a run on one device
	inputs   []input // in use until the run is over
	few      [4]input
	inside   []int64     // the callbacks that the caller's thread is inside of; see ffi.Inside
	gates    int         // number of gates that it has entered
	reserved int         // number of outputs that are counted; see reserve
	order    *wait.Order // nil for an executable without runtime tokens
	alone    bool        // whether no other run was on its device when it entered

	// launched is closed when the run is launched. It is nil if nothing waits for that.
	launched chan struct{}
	outcome  wait.Outcome
}

// grace is how long a Wait whose context has ended still waits, because most runs end when
// their next callback does.
const grace = 100 * time.Millisecond

// Start begins an execution and returns while it runs. XLA executes a small module (up to
// about 1000 operations on elements) before Start returns. Start waits while 32 runs are in
// flight on the device. The inputs are in the order of the module's parameters; if it runs
// on several devices, first all inputs of the first device. The error is an *[engine.InputError] for an
// input that the run cannot take, and an *[engine.InputCountError] for a wrong number of inputs.
//
// ctx is the context of the callbacks. When it ends, they fail, and Start returns if it has
// not.
//
// The caller must call Wait for every Run that Start returns.
func (e *Executable) Start(ctx context.Context, inputs ...engine.Input) (*Run, error) {
	e.given("Start")
	r, err := e.begin(ctx, inputs, launch{inside: ffi.Inside(), at: e.client.line()})
	if err != nil {
		return nil, err
	}
	if r.launchesHere(ctx) {
		r.launch(true, false)
	} else if err := r.launchElsewhere(ctx); err != nil {
		return nil, err
	}
	if err := r.outcome.Refusal(); err != nil {
		return nil, err
	}
	return r, nil
}

// Run executes the module and waits for it. It is the same as Start and Wait.
func (e *Executable) Run(ctx context.Context, inputs ...engine.Input) ([]*engine.Array, error) {
	e.given("Run")
	if e.client.onCall || isOnCaller(ctx) {
		return e.runOnCaller(ctx, inputs)
	}
	r, err := e.begin(ctx, inputs, launch{inside: ffi.Inside(), at: e.client.line()})
	if err != nil {
		return nil, err
	}
	if !r.launchesHere(ctx) {
		launchOnHelper(r)
		return r.Wait(ctx)
	}
	if !r.launch(true, true) {
		return r.Wait(ctx)
	}
	outputs, err := r.outcome.Result()
	r.reuse()
	return outputs, err
}

// spareRuns are runs that are over and that no other code can have kept.
var spareRuns = sync.Pool{New: func() any { return new(Run) }}

// reuse puts the run into spareRuns if no other code can have kept it or its context. The
// run must be over, and this goroutine must have finished it.
func (r *Run) reuse() {
	if !r.outcome.Abandoned() && !r.served.Called() && !r.served.Calls.Shared() {
		*r = Run{}
		spareRuns.Put(r)
	}
}

// launchesHere reports whether the goroutine that waits for the run may launch it: if the
// context cannot end, or if XLA returns before the run of this executable is over.
func (r *Run) launchesHere(ctx context.Context) bool {
	return ctx.Done() == nil || !r.served.Several && r.exec.async.Load()
}

// Done returns a channel that is closed when the run is over.
func (r *Run) Done() <-chan struct{} {
	r.given("Done")
	return r.outcome.Over()
}

// Wait waits for the run and returns its outputs, device by device. The caller must close
// them. If a callback returned an error, Wait returns a *callbacks.CallError that has that same error
// value; if it panicked, one that has a *callbacks.PanicError. If the run waits too long for a callback, the error is
// a *[StallError].
//
// If ctx ends first, the run's further callbacks fail, and Wait returns ctx.Err() within a
// tenth of a second even if XLA is still executing. If other runs whose contexts have ended are in its way, the error
// is a *[BusyError], which unwraps to ctx.Err(). The inputs and outputs are freed when
// XLA is done. A further Wait returns the same results.
func (r *Run) Wait(ctx context.Context) ([]*engine.Array, error) {
	r.given("Wait")
	if ctx == nil {
		return nil, dispatch.Ended(ctx)
	}
	if !r.outcome.Until(ctx) {
		endWaits(r.busy(ctx.Err()), []*Run{r})
	}
	return r.outcome.Result()
}

// abandon ends the wait for a run that is not over. It returns false if the waiting
// goroutine is inside XLA and cannot return.
func (r *Run) abandon(err error) bool { return r.outcome.Abandon(err, r.served.Calls.CancelCause) }

// given panics because a method was called on a nil pointer or a zero value.
func (r *Run) given(method string) {
	if r == nil || r.exec == nil {
		panic(errtext.Receiver("bridge: Run."+method, r == nil, "Executable.Start"))
	}
}

// Call runs the module on host arrays, and returns host arrays: it is Run, ToHost of each
// output, and Close. The inputs are copied.
func (e *Executable) Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error) {
	e.given("Call")
	return engine.Call(ctx, e, inputs...)
}
