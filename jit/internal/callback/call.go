package callback

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/jit/internal/runtime"
	"github.com/calliope-mlir/calliope/tensor"
)

// Calls are the calls of a compiled module that functions of the host serve. They are safe for concurrent use.
type Calls struct {
	Loops  bool   // the module has some that end if a run must stop: CheckLoops sets it
	module uint64 // its number, which is not 0
	sites  []*site
	group  *dispatch.Group

	devices int // how often the code says which device makes calls
}

func newCalls() *Calls {
	c := &Calls{module: uint64(lastNumber.Add(1))}
	c.group = dispatch.NewGroup(dispatch.GroupOptions{Name: "jit",
		Enter:  func(r *dispatch.Run) any { return runtime.Enter(c.module, r.Depth()) },
		Leave:  func(entered any) { runtime.Leave(entered.(unsafe.Pointer)) },
		Inside: func() bool { return runtime.Inside(c.module) }})
	return c
}

// Close removes the call sites. No run may be in flight.
func (c *Calls) Close() {
	for _, s := range c.sites {
		s.close()
	}
	c.group.Close()
}

// Any reports whether there are calls.
func (c *Calls) Any() bool { return len(c.sites) > 0 }

// Barrier waits for the callbacks of all earlier runs: see dispatch.Group.
func (c *Calls) Barrier(ctx context.Context, name string) error { return c.group.Barrier(ctx, name) }

// lastNumber is the last number of a module or a run. The ids of runs are after those of other packages.
var lastNumber atomic.Int64

const firstRun = 1 << 40

// Run calls a packed function of the module with its arguments, which are in C's memory, as one run. kept are arrays
// among them that callbacks must not change: they get copies. Run returns the error of the callback that ended the run.
// If ctx ends, the run leaves a callback that goes on, or ends at the next call or iteration of a while.
func (c *Calls) Run(
	ctx context.Context, function unsafe.Pointer, arguments *unsafe.Pointer, kept []tensor.View,
) error {
	if len(c.sites) == 0 {
		return c.runAlone(ctx, function, arguments)
	}
	around := runtime.Depth()
	depth, err := dispatch.Depth(ctx, around)
	if err != nil {
		return fmt.Errorf("jit: run: %w", err)
	}
	r := &run{calls: c, kept: kept}
	r.code.Host, r.code.Module, r.code.Depth = r, c.module, depth
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, r.code.Stop)()
	}
	c.group.Begin(ctx, &r.host, dispatch.RunOptions{
		ID: firstRun + lastNumber.Add(1), Nested: around > 0, Depth: depth, Leave: true})
	defer r.host.End()
	if r.code.Invoke(function, arguments) {
		return nil
	}
	if err := r.host.Err(); err != nil {
		return err
	}
	return ctx.Err()
}

// runAlone is Run for a module without calls. It allocates nothing, unless ctx can end, and a loop with it.
func (c *Calls) runAlone(ctx context.Context, function unsafe.Pointer, arguments *unsafe.Pointer) error {
	r := alone.Get().(*runtime.Run)
	stopped := func() bool { return true }
	if c.Loops && ctx.Done() != nil {
		stopped = context.AfterFunc(ctx, r.Stop)
	}
	finished := r.Invoke(function, arguments)
	if stopped() { // otherwise it will be, or was
		alone.Put(r)
	}
	if finished {
		return nil
	}
	return ctx.Err()
}

var alone = sync.Pool{New: func() any { return new(runtime.Run) }}

// A run is one execution.
type run struct {
	calls *Calls
	code  runtime.Run
	host  dispatch.Run
	kept  []tensor.View
}

// keeps reports whether an array is one that the run must not change, or part of it.
func (r *run) keeps(array []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(array)))
	return len(array) > 0 && slices.ContainsFunc(r.kept, func(v tensor.View) bool {
		start := uintptr(unsafe.Pointer(unsafe.SliceData(v.Data)))
		return start <= at && at < start+uintptr(len(v.Data))
	})
}

// Call implements runtime.Host.
func (r *run) Call(number, device int, arrays *unsafe.Pointer) bool {
	err := r.calls.sites[number].call(r, device, arrays)
	if err != nil {
		r.host.Fail(err)
	}
	return err == nil
}
