package bridge

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomlx/gopjrt/pjrt"

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

	c      c.Run
	device int            // where it runs, for a run on one device
	inputs []input        // in use until the run is over
	pjrt   []*pjrt.Buffer // outputs

	// The first error that a callback ended with.
	failure atomic.Pointer[failure]

	done chan struct{}

	mu        sync.Mutex
	abandoned bool // nobody will take the outputs
	outputs   []*Buffer
	err       error
}

type failure struct{ err error }

// grace is how long a Wait whose context has ended still waits: most runs end
// when their next callback does.
const grace = 100 * time.Millisecond

// Start begins an execution and returns while it runs; XLA executes a small
// module (up to about 1000 operations on elements) before Start returns. The
// inputs are in the order of the module's parameters, device by device where it
// runs on several. ctx is the context of the callbacks: when it ends, they fail.
//
// Every Run that Start gives is to be waited for, with Wait.
func (e *Executable) Start(ctx context.Context, inputs ...Input) (*Run, error) {
	r, err := e.start(ctx, inputs, launch{inside: c.Inside()})
	if err != nil {
		return nil, err
	}
	if r.c.Ready() {
		r.await()
	} else {
		r.notify()
	}
	return r, nil
}

// Run executes the module and waits for it. It is Start and Wait.
func (e *Executable) Run(ctx context.Context, inputs ...Input) ([]*Buffer, error) {
	if e.client.onCall || isOnCaller(ctx) {
		return e.runOnCaller(ctx, inputs)
	}
	r, err := e.start(ctx, inputs, launch{inside: c.Inside()})
	if err != nil {
		return nil, err
	}
	if ctx.Done() == nil || r.c.Ready() {
		r.await()
	} else {
		r.notify()
	}
	return r.Wait(ctx)
}

// Done is closed when the run is over.
func (r *Run) Done() <-chan struct{} { return r.done }

// Wait waits for the run and returns its outputs, device by device, which the
// caller closes. An error of a callback is returned as the very value that the
// callback returned, a panic as a callbacks.PanicError.
//
// When ctx ends first, the run's further callbacks fail, and Wait returns
// ctx.Err() within a tenth of a second even if XLA is still busy; the inputs and
// outputs are freed when it is done. Waiting again gives the same results.
func (r *Run) Wait(ctx context.Context) ([]*Buffer, error) {
	select {
	case <-r.done:
		return r.result()
	default:
	}
	select {
	case <-r.done:
		return r.result()
	case <-ctx.Done():
	}
	r.abandon(ctx.Err())
	select {
	case <-r.done:
	case <-time.After(grace):
	}
	return r.result()
}

func (r *Run) result() ([]*Buffer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outputs, r.err
}

// abandon gives the run up, if it is not over.
func (r *Run) abandon(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.outputs == nil && r.err == nil && !r.over() {
		r.abandoned, r.err = true, err
		r.calls.Cancel()
	}
}

func (r *Run) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// launch is how a run is started.
type launch struct {
	caller *callbacks.Caller // who makes the calls; nil for whoever does by their dispatch
	inside []int64           // what the thread of the caller is inside of, see c.Inside
}

// start launches the run. Where it succeeds, either await or notify must follow.
func (e *Executable) start(ctx context.Context, inputs []Input, how launch) (*Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !e.life.use() {
		return nil, errors.New("bridge: Executable.Start: the executable is closed")
	}
	r := &Run{exec: e, several: e.devices != nil, debug: e.client.debug, done: make(chan struct{})}
	if err := r.launch(ctx, inputs, how); err != nil {
		r.release()
		close(r.done)
		return nil, err
	}
	return r, nil
}

func (r *Run) launch(ctx context.Context, inputs []Input, how launch) error {
	e := r.exec
	if e.client.life.closed() {
		return errors.New("bridge: Executable.Start: the client is closed")
	}
	if err := r.takeInputs(inputs); err != nil {
		return fmt.Errorf("bridge: Executable.Start: %w", err)
	}
	if err := runs.add(r); err != nil {
		return err
	}
	options := callbacks.RunOptions{
		Owner: r, Devices: e.NumDevices(), Nested: len(how.inside) > 0, OnCaller: how.caller, Slow: r.debug,
	}
	if r.debug {
		options.Memory = debugMemory
	}
	e.client.group.Begin(ctx, &r.calls, options)
	r.c = e.client.plugin.c.NewRun(r.id, e.NumDevices())
	err := r.execute(ctx, how.inside)
	if r.failure.Load() != nil {
		return nil // XLA executed at once, and a callback failed: that is for Wait to tell
	}
	if err != nil {
		r.forget()
	}
	return err
}

// execute hands the run over to XLA, with its identity in the thread.
func (r *Run) execute(ctx context.Context, inside []int64) error {
	e := r.exec
	args := make([]*pjrt.Buffer, len(r.inputs))
	donate := make([]bool, len(r.inputs))
	for i, in := range r.inputs {
		args[i], donate[i] = in.buffer.pjrt, in.donated
	}
	config := e.pjrt.Execute(args...).SetDonate(donate)
	if r.device != 0 && e.devices == nil { // 0 is what gopjrt takes by itself
		config = config.OnDeviceByNum(r.device)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := refuseNested(ctx, e.client, inside); err != nil {
		return err
	}
	r.c.Begin()
	defer r.c.End()
	var err error
	if r.pjrt, err = config.Done(); err != nil {
		return pluginError("execute", err)
	}
	return nil
}

// await blocks until XLA is done.
func (r *Run) await() {
	r.c.Await()
	r.finish()
}

// notify lets XLA say when it is done.
func (r *Run) notify() {
	// Freeing is not for XLA's thread, which is in the middle of something.
	r.c.Notify(func() { go r.finish() })
}

// finish is called once, when XLA is done with the run.
func (r *Run) finish() {
	var err error
	code, message := r.c.Error()
	if f := r.failure.Load(); f != nil {
		err = f.err
	} else if code != 0 {
		err = &PluginError{Code: code, Op: "execute", Message: message}
	}
	r.forget()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && !r.abandoned {
		r.outputs, err = r.exec.wrap(r.pjrt, r.device)
	}
	if r.outputs == nil {
		for _, b := range r.pjrt {
			_ = b.Destroy() // the run's error says more
		}
	}
	r.pjrt = nil
	if !r.abandoned {
		r.err = err
	}
	r.release()
	close(r.done)
}

// forget ends the run's identity.
func (r *Run) forget() {
	runs.remove(r)
	r.calls.End()
	r.c.Free()
}

// release ends the use of what the run needed.
func (r *Run) release() {
	for _, in := range r.inputs {
		_ = in.buffer.done()
	}
	r.inputs = nil
	_ = r.exec.done()
}

// wrap makes the outputs of a run.
func (e *Executable) wrap(outputs []*pjrt.Buffer, device int) ([]*Buffer, error) {
	shapes := e.shapes.Load()
	if shapes == nil {
		list := make([]tensor.Shape, e.outputs)
		for i := range list {
			var err error
			if list[i], err = shapeOf(outputs[i]); err != nil {
				return nil, err
			}
		}
		shapes = &list
		e.shapes.Store(shapes)
	}
	buffers := make([]*Buffer, len(outputs))
	for i, b := range outputs {
		if e.devices != nil {
			device = e.devices[i/e.outputs]
		}
		e.client.life.more()
		buffers[i] = &Buffer{client: e.client, pjrt: b, shape: (*shapes)[i%e.outputs], device: device}
	}
	return buffers, nil
}

func shapeOf(b *pjrt.Buffer) (tensor.Shape, error) {
	dtype, err := b.DType()
	if err != nil {
		return tensor.Shape{}, pluginError("shape of an output", err)
	}
	dims, err := b.Dimensions()
	if err != nil {
		return tensor.Shape{}, pluginError("shape of an output", err)
	}
	if int(dtype) >= len(pjrtTypes) || pjrtTypes[dtype] == tensor.Invalid {
		return tensor.Shape{}, fmt.Errorf("bridge: an output has the element type %s, which is not known here", dtype)
	}
	return tensor.ShapeOf(pjrtTypes[dtype], dims...), nil
}
