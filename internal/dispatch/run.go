package dispatch

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// Run is what the calls of one execution have in common. A runtime begins one before
// it executes, and ends it when no call of it is under way any more.
type Run struct {
	ctx       context.Context // of own
	own       lazyContext
	group     *Group
	options   RunOptions
	overrides overrides
	caller    *Caller // who makes the calls
	special   bool    // not every call takes the shortest way
	calls     runCalls
	failure   atomic.Pointer[error]

	// Of the group's list, under its lock:
	prev, next *Run
	over       bool
	listed     bool          // by Runs
	done       chan struct{} // made by the first who waits
}

// RunOptions are what a runtime says of a run.
type RunOptions struct {
	// ID is the number of the run, as its calls tell it.
	ID int64
	// Devices is the number of devices that take part; 0 is one.
	Devices int
	// Nested says that the run was started inside a call. Its calls do not wait for a
	// worker, which the outer call may hold.
	Nested bool
	// OnCaller makes every call of the run, whatever its dispatch; nil for nobody.
	OnCaller *Caller
	// Memory, where it is not nil, gives each call on a goroutine of ours its memory, of n
	// bytes, and is told when the function has returned: see the debug mode of a runtime.
	Memory func(s *Slot, n int) (memory []byte, over func())
	// Expendable reports whether the calling goroutine may end in an inline call, with
	// runtime.Goexit: the runtime is told and ends the run. It may be nil.
	Expendable func() bool
}

type runKey struct{}

// Begin makes r, which must be new, a run of the group. Its context, which all its calls
// get, comes from ctx and ends with End.
func (g *Group) Begin(ctx context.Context, r *Run, o RunOptions) {
	r.group, r.options, r.caller = g, o, o.OnCaller
	if ctx != context.Background() {
		r.overrides = overridesOf(ctx)
		r.options.Nested = o.Nested || RunOf(ctx) != nil
	}
	r.own.begin(ctx, r, time.Time{})
	r.ctx = &r.own
	r.special = o.Devices > 1 || r.overrides != nil || o.OnCaller != nil || o.Memory != nil
	g.add(r)
	r.began()
}

// End says that no call of the run is under way, and cancels its context.
func (r *Run) End() {
	r.calls.end()
	r.own.cancel(nil)
	if r.group.remove(r) {
		r.ended()
	}
}

// Shared reports, once the run is over, whether anybody but its calls may have got hold
// of it: Runs gave it, or somebody observes runs.
func (r *Run) Shared() bool { return r.listed || observers.Load() != nil }

// Context is the context of the run's calls.
func (r *Run) Context() context.Context { return r.ctx }

// Outer is the context that the run was begun with.
func (r *Run) Outer() context.Context { return r.own.outer }

// Cancel ends the context of the run: what waits for a call does so no longer.
func (r *Run) Cancel() { r.own.cancel(nil) }

// CancelCause is Cancel, for a reason that context.Cause tells of the calls' contexts.
func (r *Run) CancelCause(cause error) { r.own.cancel(cause) }

// ID returns the number of the run that the runtime gave it.
func (r *Run) ID() int64 { return r.options.ID }

// Group returns the group of the run.
func (r *Run) Group() *Group { return r.group }

// RunOf is the run that a context of a call belongs to, nil for any other context.
func RunOf(ctx context.Context) *Run {
	r, _ := ctx.Value(runKey{}).(*Run)
	return r
}

// override returns the run's own function for a slot, nil where it has none.
func (r *Run) override(s *Slot) *callbacks.Func {
	if r == nil || r.overrides == nil {
		return nil
	}
	return r.overrides.Find(s.config.Registry, s.config.Callback)
}

// Fail keeps the first error that a run ends with, and reports whether this is it.
func (r *Run) Fail(err error) (first bool) { return r.failure.CompareAndSwap(nil, &err) }

// Err returns the error of Fail, nil where there is none.
func (r *Run) Err() error {
	if err := r.failure.Load(); err != nil {
		return *err
	}
	return nil
}

func (r *Run) several() bool { return r != nil && r.options.Devices > 1 }
func (r *Run) nested() bool  { return r != nil && r.options.Nested }

// taps is the group that keeps the errors of the run's taps.
func (r *Run) taps() *Group {
	if r == nil {
		return nowhere
	}
	return r.group
}

// cancelled says whether the run was given up.
func (r *Run) cancelled() bool { return r != nil && r.ctx.Err() != nil }
