package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/c"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// Run is one execution. It is safe for concurrent use.
type Run struct {
	exec    *Executable
	id      int32
	calls   callbacks.Run // what its callbacks have in common
	several bool          // devices
	debug   bool

	c        c.Run
	device   int     // where it runs, for a run on one device
	inputs   []input // in use until the run is over
	few      [4]input
	inside   []int64 // what the caller's thread is inside of, see c.Inside
	gates    int     // how many of its devices it has a place on
	alone    bool    // when it was let in, no other run was on its device
	reserved int     // buffers for its outputs

	// The first error that a callback ended with.
	failure atomic.Pointer[failure]

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

type failure struct{ err error }

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
	r, err := e.begin(ctx, inputs, launch{inside: c.Inside()})
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
	r, err := e.begin(ctx, inputs, launch{inside: c.Inside()})
	if err != nil {
		return nil, err
	}
	if r.mayStay(ctx) {
		r.launch(true, true)
	} else {
		help(r)
	}
	return r.Wait(ctx)
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

// leave gives the run up, if it is not over, and is false where whoever waits cannot
// be told.
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

// launch is how a run is started.
type launch struct {
	caller *callbacks.Caller // who makes the calls; nil for whoever does by their dispatch
	inside []int64           // what the thread of the caller is inside of, see c.Inside
}

// begin makes a run that can be launched, and must be.
func (e *Executable) begin(ctx context.Context, inputs []Input, how launch) (*Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !e.life.use() {
		return nil, errors.New("bridge: Executable.Start: the executable is closed")
	}
	r := &Run{exec: e, several: e.devices != nil, debug: e.client.debug, inside: how.inside}
	if err := r.prepare(ctx, inputs, how.caller); err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

func (r *Run) prepare(ctx context.Context, inputs []Input, caller *callbacks.Caller) error {
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
	if err := r.takeInputs(inputs); err != nil {
		return fmt.Errorf("bridge: Executable.Start: %w", err)
	}
	if err := r.reserve(); err != nil {
		return err
	}
	var err error
	if r.c, err = e.rooms.Take(e.c, e.NumDevices(), len(r.inputs)/e.NumDevices(), e.outputs); err != nil {
		return fmt.Errorf("bridge: Executable.Start: %w", err)
	}
	if err := runs.add(r); err != nil {
		return err
	}
	e.client.group.Begin(ctx, &r.calls, callbacks.RunOptions{
		Owner: r, Devices: e.NumDevices(), Nested: len(r.inside) > 0, OnCaller: caller, Slow: r.debug,
	})
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
	r.c.Prepare(r.id, e.client.c, on)
	perDevice := r.c.NumArgs()
	for i, in := range r.inputs {
		r.c.SetArg(i, in.buffer.array)
		if i < perDevice && !in.donated {
			r.c.Keep(i)
		}
	}
}

// launch executes, and waits where it is to. direct says that whoever waits for the run
// is who calls.
func (r *Run) launch(direct, wait bool) {
	if direct {
		r.held.Store(true)
	}
	launched := r.c.Launch()
	if direct {
		r.held.Store(false)
	}
	if launched == c.Pending {
		r.learn(true)
		if r.launched != nil {
			close(r.launched)
		}
		r.pending(wait)
		return
	}
	r.learn(false)
	signal := r.launched
	r.finish(launched == c.Refused)
	if signal != nil {
		close(signal)
	}
}

// learn keeps whether XLA came back before the run was over. On a device where others
// run it may do so for their sake.
func (r *Run) learn(async bool) {
	if r.alone && r.exec.async.Load() != async {
		r.exec.async.Store(async)
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
// by notification.
func (r *Run) pending(wait bool) {
	if wait {
		over := inC.Add(1) <= inCMost && r.c.Wait(inCFor)
		inC.Add(-1)
		if over {
			r.finish(false)
			return
		}
	}
	// Freeing is not for XLA's thread, which is in the middle of something.
	if r.c.Notify(func() { go r.finish(false) }) {
		r.finish(false)
	}
}

// finish is called once, when XLA is done with the run, or refused it.
func (r *Run) finish(refused bool) {
	err := r.c.Error()
	if f := r.failure.Load(); f != nil {
		err = f.err
	} else if err != nil {
		err = planError("execute", err)
	}
	var outputs []*Buffer
	switch {
	case refused:
	case err != nil:
		r.dropOutputs()
	default:
		outputs, err = r.wrap()
	}
	r.mu.Lock()
	abandoned := r.abandoned
	if !abandoned {
		// What a callback failed with is for Wait to tell.
		r.outputs, r.err, r.refused = outputs, err, refused && r.failure.Load() == nil
		r.settled = true
	}
	r.mu.Unlock()
	if abandoned {
		for _, b := range outputs {
			_ = b.Close() // the run's error says more
		}
	}
	r.release()
	// Whoever waits for all runs finds what they held freed.
	runs.remove(r)
	r.calls.End()
	r.mu.Lock()
	r.over = true
	if r.ended != nil {
		close(r.ended)
	}
	if r.wake != nil && !abandoned {
		close(r.wake)
	}
	r.mu.Unlock()
}

// release ends the use of what the run needed.
func (r *Run) release() {
	e := r.exec
	for _, in := range r.inputs {
		if err := in.buffer.done(); err != nil && in.buffer.loan != nil {
			slog.Error("bridge: the end of a run", "run", r.id, "executable", e.name(), "error", err)
		}
	}
	r.inputs = nil
	clear(r.few[:])
	if r.reserved > 0 {
		e.client.memory.release(r.reserved, e.resultBytes)
	}
	if !r.c.IsNil() {
		e.rooms.Give(r.c)
		r.c = c.Run{}
	}
	if e.devices == nil {
		if r.gates > 0 {
			e.client.gates[r.device].leave()
		}
	} else {
		for _, device := range e.ordered[:r.gates] {
			e.client.gates[device].leave()
		}
	}
	_ = e.done()
}

// dropOutputs destroys the outputs of a run that failed.
func (r *Run) dropOutputs() {
	for i := range r.exec.outputs * r.exec.NumDevices() {
		array := r.c.Output(i)
		array.Made()
		_ = array.Destroy() // the run's error says more
	}
}

// wrap makes the outputs of a run.
func (r *Run) wrap() ([]*Buffer, error) {
	e := r.exec
	client := e.client
	n := e.outputs * e.NumDevices()
	list := make([]*Buffer, n)
	made := make([]Buffer, n)
	for i := range list {
		b := &made[i]
		list[i] = b
		b.client, b.device, b.array, b.ready = client, r.device, r.c.Output(i), true
		if e.devices != nil {
			b.device = e.devices[i/e.outputs]
		}
		b.array.Made()
		client.life.more()
	}
	if e.results != nil {
		for i := range made {
			result := &e.results[i%e.outputs]
			made[i].shape, made[i].order = result.shape, result.order
		}
		r.reserved = 0 // from now on they are counted one by one
		return list, nil
	}
	var err error
	for i := range made {
		b := &made[i]
		if b.shape, err = shapeOf(b.array); err != nil {
			b.shape = tensor.Shape{}
			break
		}
		b.asked = true
	}
	for i := range made {
		_ = client.memory.reserve("", 1, 0, 0)
		client.memory.bytes.Add(deviceBytes(made[i].shape))
	}
	if err != nil {
		for _, b := range list {
			_ = b.Close() // that there is no shape says more
		}
		return nil, err
	}
	return list, nil
}

func shapeOf(a c.Array) (tensor.Shape, error) {
	dtype, dims, err := a.Shape()
	if err != nil {
		return tensor.Shape{}, planError("shape of an output", err)
	}
	if dtype < 0 || int(dtype) >= len(pjrtTypes) || pjrtTypes[dtype] == tensor.Invalid {
		return tensor.Shape{}, fmt.Errorf("bridge: an output has an element type with the number %d, which is not known here", dtype)
	}
	return tensor.ShapeOf(pjrtTypes[dtype], dims...), nil
}
