package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/bridge/internal/wait"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

// A launch says how a run is started.
type launch struct {
	caller *dispatch.Caller // makes the calls; nil if each callback's Dispatch decides
	inside []int64          // the callbacks that the caller's thread is inside of; see ffi.Inside
	at     string           // see Run.at
}

// begin prepares a run. The caller must launch it.
func (e *Executable) begin(ctx context.Context, inputs []engine.Input, how launch) (*Run, error) {
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	if !e.life.Use() {
		return nil, fmt.Errorf("bridge: run: the executable is %w", ErrClosed)
	}
	r := spareRuns.Get().(*Run)
	r.exec, r.inside, r.at = e, how.inside, how.at
	s := &r.served
	s.Several, s.Debug, s.Pinned, s.Of = e.devices != nil, e.client.debug, e.client.pinned, r
	if ctx.Done() != nil {
		r.start.note()
	}
	if err := r.prepare(ctx, inputs, how.caller); err != nil {
		r.giveBack()
		r.release()
		if err == wait.ErrClosed {
			err = fmt.Errorf("bridge: run: %w", err)
		}
		return nil, err
	}
	return r, nil
}

// giveBack gives donated buffers of a run that is refused back to the caller.
func (r *Run) giveBack() {
	r.inputs = slices.DeleteFunc(r.inputs, func(in input) bool {
		return in.use.Donated() && in.use.Undo() == nil // never an error
	})
}

func (r *Run) prepare(ctx context.Context, inputs []engine.Input, caller *dispatch.Caller) error {
	e := r.exec
	if e.client.life.Closed() {
		return wait.ErrClosed
	}
	if err := refuseNested(ctx, e.client, r.inside); err != nil {
		return err
	}
	if e.devices == nil {
		var err error
		if r.device, err = e.client.deviceOf(ctx, inputs); err != nil {
			return err
		}
	}
	if len(e.effects) > 0 {
		at := wait.Place{Client: e.client.pjrt, Device: r.device, Leading: e.leading}
		if r.served.Several {
			at.Device = -1
		}
		var err error
		if r.order, err = e.client.sequenceOf(ctx).Enter(ctx, e.effects, at); err != nil {
			return err
		}
	}
	if err := r.enter(ctx); err != nil {
		return err
	}
	if err := r.takeInputs(ctx, inputs); err != nil {
		if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
			return ended
		}
		return err
	}
	if err := r.takeTokens(ctx); err != nil {
		return err
	}
	if err := r.reserve(); err != nil {
		return err
	}
	var err error
	tokens := len(e.effects)
	if r.pjrt, err = e.runMemory.Get(e.pjrt, e.NumDevices(), len(r.inputs)/e.NumDevices()+tokens,
		e.outputs+tokens); err != nil {
		return fmt.Errorf("bridge: run: %w", err)
	}
	if err := serve.Add(&r.served); err != nil {
		return err
	}
	options := dispatch.RunOptions{
		ID: int64(r.served.ID()), Devices: e.NumDevices(), Device: r.device, On: e.devices, Nested: len(r.inside) > 0,
		OnCaller: caller, Expendable: onHelper,
	}
	if r.served.Debug {
		options.Memory = serve.DebugMemory
	}
	e.client.group.Begin(ctx, &r.served.Calls, options)
	e.client.watchRuns()
	r.fill()
	return nil
}

// enter waits for the gate of each device, in the order of their numbers.
func (r *Run) enter(ctx context.Context) error {
	devices := r.exec.ordered
	if devices == nil {
		devices = []int{r.device}
	}
	for _, device := range devices {
		if device >= len(r.exec.client.gates) {
			continue // the array is another client's; takeInputs returns the error
		}
		alone, err := r.exec.client.gates[device].Enter(ctx)
		if err != nil && err == ctx.Err() {
			err = r.busy(err)
		}
		if err != nil {
			return err
		}
		r.gates++
		r.alone = alone
	}
	return nil
}

// reserve counts the outputs against the memory limit, if their sizes are known.
func (r *Run) reserve() error {
	e := r.exec
	if e.results == nil {
		return nil
	}
	freed := int64(0)
	for _, in := range r.inputs {
		if in.use.Donated() {
			freed += deviceBytes(in.array.shape)
		}
	}
	n := e.outputs * e.NumDevices()
	if err := e.client.memory.reserve("execute", n, e.resultBytes, freed); err != nil {
		return err
	}
	r.reserved = n
	return nil
}

// fill sets the arguments of the execution.
func (r *Run) fill() {
	e := r.exec
	on := -1
	if e.devices == nil {
		on = r.device
	}
	r.pjrt.Prepare(r.served.ID(), e.client.pjrt, on)
	tokens := len(e.effects)
	perDevice, before := r.pjrt.NumArgs()-tokens, e.afterTokens()
	for i, in := range r.inputs {
		r.pjrt.SetArg(i+i/perDevice*tokens+before, in.array.pjrt)
		if i < perDevice && !in.use.Donated() {
			r.pjrt.Keep(i + before)
		}
	}
	if tokens > 0 {
		r.fillTokens(perDevice)
	}
}

// launch executes the run, and waits for it if wait is true. It reports whether the run is
// over and was finished here. direct says that the goroutine that waits for the run is the
// caller.
func (r *Run) launch(direct, wait bool) (over bool) {
	if direct {
		r.outcome.SetHeld(true)
	}
	launched := r.pjrt.Launch()
	if direct {
		r.outcome.SetHeld(false)
	}
	if r.order != nil {
		r.passTokens(launched)
	}
	if launched == pjrt.Pending {
		r.noteAsync()
		if r.launched != nil {
			close(r.launched)
		}
		return r.pending(wait)
	}
	signal := r.launched
	r.finish(launched == pjrt.Refused)
	if signal != nil {
		close(signal)
	}
	return true
}

// noteAsync records that XLA returns before a run of the executable is over. That depends
// only on the executable if its inputs are computed. If XLA returns after the end of a run,
// nothing is known: the run may have been short. If other runs are on the device, XLA may
// have returned early because of them.
func (r *Run) noteAsync() {
	if r.alone && !r.exec.async.Load() {
		r.exec.async.Store(true)
	}
}

// launchElsewhere launches the run on a helper, and waits until it is launched or ctx ends.
func (r *Run) launchElsewhere(ctx context.Context) error {
	r.launched = make(chan struct{})
	wake := r.outcome.Wake()
	launchOnHelper(r)
	select {
	case <-r.launched:
		return nil
	case <-wake:
	case <-ctx.Done():
		r.abandon(r.busy(ctx.Err()))
	}
	if r.outcome.Abandoned() {
		_, err := r.outcome.Result()
		return err
	}
	return nil
}

// inC is the number of goroutines that wait in C. Each keeps a thread, but this wait
// notices the end of a short run sooner than a notification, which needs another thread.
var inC atomic.Int32

const (
	inCMost = 16
	inCFor  = 2 * time.Millisecond
)

// pending waits for a run that is not over: if wait is true, first in C for a short time,
// and then for a notification. It reports whether the run is over and was finished here.
func (r *Run) pending(wait bool) bool {
	if wait {
		over := inC.Add(1) <= inCMost && r.pjrt.Wait(inCFor)
		inC.Add(-1)
		if over {
			r.finish(false)
			return true
		}
	}
	// XLA's thread must not free the run: it is inside XLA.
	if !r.pjrt.Notify(func() { go r.finish(false) }) {
		return false
	}
	r.finish(false)
	return true
}

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
func (e *Executable) runOnCaller(ctx context.Context, inputs []engine.Input) ([]*engine.Array, error) {
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
	return r.outcome.Result()
}

// discard closes the outputs of a run that is over and has no waiter.
func (r *Run) discard() {
	outputs, _ := r.outcome.Result()
	for _, b := range outputs {
		_ = b.Close() // there is no caller to return the error to
	}
}
