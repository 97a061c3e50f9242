package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/internal/pjrt"
)

// launch is how a run is started.
type launch struct {
	caller *dispatch.Caller // who makes the calls; nil for whoever does by their dispatch
	inside []int64          // what the thread of the caller is inside of, see ffi.Inside
}

// begin makes a run that can be launched, and must be.
func (e *Executable) begin(ctx context.Context, inputs []Input, how launch) (*Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !e.life.use() {
		return nil, errors.New("bridge: Executable.Start: the executable is closed")
	}
	r := spareRuns.Get().(*Run)
	r.exec, r.several, r.debug, r.inside = e, e.devices != nil, e.client.debug, how.inside
	if err := r.prepare(ctx, inputs, how.caller); err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

func (r *Run) prepare(ctx context.Context, inputs []Input, caller *dispatch.Caller) error {
	e := r.exec
	if e.client.life.closed() {
		return fmt.Errorf("bridge: Executable.Start: %w", errGateClosed)
	}
	if err := refuseNested(ctx, e.client, r.inside); err != nil {
		return err
	}
	r.device = deviceOf(inputs)
	if err := r.enter(ctx); err != nil {
		return err
	}
	if err := r.takeInputs(ctx, inputs); err != nil {
		if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
			return ended
		}
		return fmt.Errorf("bridge: Executable.Start: %w", err)
	}
	if err := r.reserve(); err != nil {
		return err
	}
	var err error
	if r.pjrt, err = e.rooms.Take(e.pjrt, e.NumDevices(), len(r.inputs)/e.NumDevices(), e.outputs); err != nil {
		return fmt.Errorf("bridge: Executable.Start: %w", err)
	}
	if err := runs.add(r); err != nil {
		return err
	}
	options := dispatch.RunOptions{
		ID: int64(r.id), Devices: e.NumDevices(), Nested: len(r.inside) > 0, OnCaller: caller, Expendable: onHelper,
	}
	if r.debug {
		options.Memory = debugMemory
	}
	e.client.group.Begin(ctx, &r.calls, options)
	e.client.watchRuns()
	r.fill()
	return nil
}

// enter waits for a place on each device, in the order of their numbers.
func (r *Run) enter(ctx context.Context) error {
	devices := r.exec.ordered
	if devices == nil {
		devices = []int{r.device}
	}
	for _, device := range devices {
		if device >= len(r.exec.client.gates) {
			continue // not a device of this client, which is said of the input
		}
		alone, err := r.exec.client.gates[device].enter(ctx)
		if err == errGateClosed {
			err = fmt.Errorf("bridge: Executable.Start: %w", err)
		}
		if err != nil {
			return err
		}
		r.gates++
		r.alone = alone
	}
	return nil
}

// reserve counts the outputs, where their sizes are known.
func (r *Run) reserve() error {
	e := r.exec
	if e.results == nil {
		return nil
	}
	freed := int64(0)
	for _, in := range r.inputs {
		if in.donated {
			freed += deviceBytes(in.buffer.shape)
		}
	}
	n := e.outputs * e.NumDevices()
	if err := e.client.memory.reserve("execute", n, e.resultBytes, freed); err != nil {
		return err
	}
	r.reserved = n
	return nil
}

// fill says what is to be executed.
func (r *Run) fill() {
	e := r.exec
	on := -1
	if e.devices == nil {
		on = r.device
	}
	r.pjrt.Prepare(r.id, e.client.pjrt, on)
	perDevice := r.pjrt.NumArgs()
	for i, in := range r.inputs {
		r.pjrt.SetArg(i, in.buffer.array)
		if i < perDevice && !in.donated {
			r.pjrt.Keep(i)
		}
	}
}

// launch executes, and waits where it is to; it reports whether the run is over, and was
// ended here. direct says that whoever waits for the run is who calls.
func (r *Run) launch(direct, wait bool) (over bool) {
	if direct {
		r.held.Store(true)
	}
	launched := r.pjrt.Launch()
	if direct {
		r.held.Store(false)
	}
	if launched == pjrt.Pending {
		r.learn()
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

// learn keeps that XLA comes back before a run is over, which depends on the executable
// alone where the inputs are computed. That a run is over when XLA comes back says
// nothing: it may have been short. On a device where others run, XLA may come back for
// their sake.
func (r *Run) learn() {
	if r.alone && !r.exec.async.Load() {
		r.exec.async.Store(true)
	}
}

// launchElsewhere has a helper launch, and waits for that, but no longer than ctx.
func (r *Run) launchElsewhere(ctx context.Context) error {
	r.launched = make(chan struct{})
	r.mu.Lock()
	wake := channel(&r.wake, false)
	r.mu.Unlock()
	help(r)
	select {
	case <-r.launched:
		return nil
	case <-wake:
	case <-ctx.Done():
		r.leave(ctx.Err())
	}
	if r.left() {
		_, err := r.result()
		return err
	}
	return nil
}

// inC is how many goroutines wait in C. Each holds a thread; but what is over soon is
// known sooner than by a notification, which another thread has to take.
var inC atomic.Int32

const (
	inCMost = 16
	inCFor  = 2 * time.Millisecond
)

// pending waits for a run that goes on: for a while in C where it is to wait, and then
// by notification. It reports whether the run is over, and was ended here.
func (r *Run) pending(wait bool) bool {
	if wait {
		over := inC.Add(1) <= inCMost && r.pjrt.Wait(inCFor)
		inC.Add(-1)
		if over {
			r.finish(false)
			return true
		}
	}
	// Freeing is not for XLA's thread, which is in the middle of something.
	if !r.pjrt.Notify(func() { go r.finish(false) }) {
		return false
	}
	r.finish(false)
	return true
}
