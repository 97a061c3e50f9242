package dispatch

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// A Run is the state that the calls of one execution share. A runtime begins a run before
// it executes, and ends it when no call of it is in flight any more.
type Run struct {
	ctx       context.Context // the context own
	own       lazyContext
	group     *Group
	options   RunOptions
	overrides overrides
	caller    *Caller // the caller that makes the calls
	special   bool    // calls cannot always take the shortest path
	calls     runCalls
	failure   atomic.Pointer[error]

	// These are in the group's list, guarded by its lock.
	prev, next *Run
	over       bool
	listed     bool          // returned by Runs
	done       chan struct{} // made by the first waiter
}

// RunOptions describe a run.
type RunOptions struct {
	// ID is the number of the run that its calls report.
	ID int64
	// Devices is the number of devices that take part. 0 means 1.
	Devices int
	// Device is the number of the device, and On those of all devices if there are several.
	// On must not change.
	Device int
	On     []int
	// Nested says that the run was started inside a call. Its calls do not wait for a place
	// in the worker pool, because the outer call may hold it.
	Nested bool
	// Depth is what the function Depth returned.
	Depth int
	// OnCaller, if not nil, makes every call of the run, whatever its Dispatch.
	OnCaller *Caller
	// Memory, if not nil, provides the memory, of n bytes, for each call on a worker
	// goroutine. over is called when the function has returned. The debug mode of a runtime
	// uses it.
	Memory func(s *Slot, n int) (memory []byte, over func())
	// Apart gives each inline call a goroutine of its own, which runtime.Goexit may end: for
	// a runtime that does not call from C, but on the goroutine of its caller.
	Apart bool
	// Leave makes inline calls on workers, with copies of the arrays, if the context of the run
	// can end: for a runtime that calls on the goroutine of its caller, which then leaves a
	// function that goes on.
	Leave bool
	// Expendable reports whether the calling goroutine may end in an inline call by
	// runtime.Goexit; the runtime then notices this and ends the run. It may be nil.
	Expendable func() bool
}

type runKey struct{}

// Begin makes r, which must be new, a run of the group. All its calls get its context,
// which derives from ctx and ends with End.
func (g *Group) Begin(ctx context.Context, r *Run, o RunOptions) {
	r.group, r.options, r.caller = g, o, o.OnCaller
	if ctx != context.Background() {
		r.overrides = overridesOf(ctx)
		r.options.Nested = o.Nested || RunOf(ctx) != nil
	}
	r.own.begin(ctx, r, time.Time{})
	r.ctx = &r.own
	r.options.Leave = o.Leave && ctx.Done() != nil
	r.special = r.options.Leave || o.Devices > 1 || r.overrides != nil || o.OnCaller != nil || o.Memory != nil ||
		o.Apart
	g.add(r)
	r.began()
}

// End records that no call of the run is in flight, and cancels its context.
func (r *Run) End() {
	r.calls.end()
	r.own.cancel(nil)
	if r.group.remove(r) {
		r.ended()
	}
}

// Shared reports, after the run has ended, whether code other than its calls may hold the
// run: Runs returned it, or an observer of runs is set.
func (r *Run) Shared() bool { return r.listed || observers.Load() != nil }

// Context returns the context of the run's calls.
func (r *Run) Context() context.Context { return r.ctx }

// Outer returns the context that the run was begun with.
func (r *Run) Outer() context.Context { return r.own.outer }

// Cancel ends the context of the run. Waiting for its calls stops.
func (r *Run) Cancel() { r.own.cancel(nil) }

// CancelCause is like Cancel, with a cause that context.Cause returns for the calls'
// contexts.
func (r *Run) CancelCause(cause error) { r.own.cancel(cause) }

// ID returns the number that the runtime gave to the run.
func (r *Run) ID() int64 { return r.options.ID }

// Group returns the group of the run.
func (r *Run) Group() *Group { return r.group }

// RunOf returns the run that the context of a call belongs to, or nil for any other
// context.
func RunOf(ctx context.Context) *Run {
	r, _ := ctx.Value(runKey{}).(*Run)
	return r
}

// override returns the run's own function for a slot, or nil if it has none.
func (r *Run) override(s *Slot) *callbacks.Func {
	if r == nil || r.overrides == nil {
		return nil
	}
	return r.overrides.Find(s.config.Registry, s.config.Callback)
}

// Fail sets the error of the run if it has none, and reports whether it did.
func (r *Run) Fail(err error) (first bool) { return r.failure.CompareAndSwap(nil, &err) }

// Err returns the error set by Fail, or nil.
func (r *Run) Err() error {
	if err := r.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// on reports whether the run uses a device. allDevices is any.
func (r *Run) on(device int) bool {
	if device == allDevices || r.options.On == nil {
		return device == allDevices || r.options.Device == device
	}
	return slices.Contains(r.options.On, device)
}

// Depth returns RunOptions.Depth.
func (r *Run) Depth() int { return r.options.Depth }

func (r *Run) several() bool { return r != nil && r.options.Devices > 1 }
func (r *Run) nested() bool  { return r != nil && r.options.Nested }

// taps returns the group that keeps the errors of the run's taps.
func (r *Run) taps() *Group {
	if r == nil {
		return noGroup
	}
	return r.group
}

// cancelled reports whether the run was cancelled.
func (r *Run) cancelled() bool { return r != nil && r.ctx.Err() != nil }
