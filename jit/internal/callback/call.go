package callback

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/jit/internal/runtime"
)

// Calls are the calls of a compiled module that functions of the host serve. They are safe for concurrent use.
type Calls struct {
	sites []*site
	loops bool // the module has some that end if a run must stop
	group *dispatch.Group
}

func newCalls() *Calls {
	c := &Calls{}
	c.group = dispatch.NewGroup(dispatch.GroupOptions{Name: "jit", Inside: c.inside})
	return c
}

// inside reports whether this thread is in a call of one of the runs.
func (c *Calls) inside() bool {
	return slices.ContainsFunc(runtime.Inside(), func(h runtime.Host) bool { return h.(*run).calls == c })
}

// Close removes the call sites. No run may be in flight.
func (c *Calls) Close() {
	for _, s := range c.sites {
		s.close()
	}
	c.group.Close()
}

// Barrier waits for the callbacks of all earlier runs: see dispatch.Group.
func (c *Calls) Barrier(ctx context.Context, name string) error { return c.group.Barrier(ctx, name) }

// lastRun numbers the runs of all modules, after the numbers that runs of other packages can have.
var lastRun atomic.Int64

const firstRun = 1 << 40

// Run calls a packed function of the module with its arguments, which are in C's memory, as one run. It returns the
// error of the callback that ended the run. If ctx ends, the run ends at the next call or iteration of a while.
func (c *Calls) Run(ctx context.Context, function unsafe.Pointer, arguments *unsafe.Pointer) error {
	if len(c.sites) == 0 {
		return c.runAlone(ctx, function, arguments)
	}
	r := &run{calls: c}
	r.code.Host = r
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, r.code.Stop)()
	}
	c.group.Begin(ctx, &r.host, dispatch.RunOptions{ID: firstRun + lastRun.Add(1), Nested: len(runtime.Inside()) > 0})
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
	if c.loops && ctx.Done() != nil {
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
}

// Call implements runtime.Host.
func (r *run) Call(number int, arrays *unsafe.Pointer) bool {
	err := r.calls.sites[number].call(&r.host, arrays)
	if err != nil {
		r.host.Fail(err)
	}
	return err == nil
}
