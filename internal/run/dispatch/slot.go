package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"runtime/trace"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Slot is a callback bound to one call site of an executable. It is safe for concurrent
// use.
type Slot struct {
	config    contract.Config
	name      string
	registry  string                          // name of the registry where it was found
	binding   binding                         // nil for an optional callback that is not registered
	fn        *atomic.Pointer[callbacks.Func] // the function of the binding
	engine    *engine
	host      *host // has the counters
	dispatch  callbacks.Dispatch
	timeout   time.Duration
	tap       bool // an error does not fail the run
	zeros     bool // the results are zeros then
	plain     bool // the shortest path suffices for most runs
	selective bool // some calls are skipped

	parallel  int // see callbacks.Options
	perSecond uint32
	measure   bool
	turns     *atomic.Int64 // calls, for the module's "every"
	spares    spares
	counts    *counts

	next atomic.Pointer[Slot] // see bound
}

// newSlot binds a call site, which is not counted yet. b is nil for an optional callback
// that is not registered.
func newSlot(h *host, config contract.Config, b binding) (*Slot, error) {
	s := &Slot{
		config: config, name: config.Name(), registry: h.registry.Name(), binding: b, engine: h.running(), host: h,
		turns: new(atomic.Int64), counts: new(counts),
	}
	s.tap = config.Form == contract.Observe
	if b == nil {
		s.selective = true
		return s, nil
	}
	o := b.Options()
	if err := checkForm(o, config); err != nil {
		return nil, err
	}
	if o.Check != nil {
		if err := o.Check(config); err != nil {
			return nil, err
		}
	}
	s.fn, s.dispatch, s.timeout = b.Function(), o.Dispatch, cmp.Or(o.Timeout, s.engine.options.Timeout)
	if s.dispatch == callbacks.Inline && s.timeout > 0 {
		s.dispatch = callbacks.Goroutine
	}
	s.tap = (s.tap || s.dispatch == callbacks.Async || o.KeepErrors) && !o.FailRun
	s.zeros = o.KeepErrors
	s.parallel = o.Parallel
	s.perSecond = uint32(min(o.PerSecond, math.MaxUint32))
	s.selective = config.Every > 1 || s.perSecond > 0
	s.measure = o.Measure
	s.plain = s.dispatch == callbacks.Inline && !s.selective && !o.Measure && s.engine.options.Watch == 0 &&
		!s.engine.options.Profile && config.Batching.Parallel == ""
	return s, nil
}

// checkForm checks the options against the form of the module's call.
func checkForm(o callbacks.Options, c contract.Config) error {
	switch {
	case o.Dispatch == callbacks.Async && c.Form != contract.Observe && c.Form != contract.Passthrough:
		return fmt.Errorf("callbacks: callback %q is registered with Async, but the module calls it in the form %q, which has results that the device waits for: use Deferred", c.Name(), c.Form)
	case o.PerSecond > 0 && c.Form.Target() == contract.TargetRuntimeCall:
		return fmt.Errorf("callbacks: callback %q is registered with PerSecond, but the module calls it in the form %q, which needs results from every call: leave PerSecond out", c.Name(), c.Form)
	}
	return nil
}

// Name returns the name of the callback, or "id N".
func (s *Slot) Name() string { return s.name }

// Log writes a line to the log of the callback's registry, on a separate goroutine; see
// slog.Logger.Log. The arguments must not change later.
func (s *Slot) Log(level slog.Level, message string, args ...any) {
	s.engine.log.add(func() { s.engine.logger().Log(context.Background(), level, message, args...) })
}

// InPlace reports whether the function gets the runtime's own memory in that run.
func (s *Slot) InPlace(r *Run) bool {
	return s.bound().onThread(r) || r != nil && r.caller != nil
}

// onThread reports whether the runtime's thread makes the calls of that run.
func (s *Slot) onThread(r *Run) bool {
	return s.dispatch == callbacks.Inline && (r == nil || !r.options.Leave)
}

// Deferred reports whether the runtime's thread need not wait for calls.
func (s *Slot) Deferred() bool { return s.dispatch == callbacks.Deferred }

// NoOp reports whether no function is bound because the callback is optional. A run may
// still provide a function.
func (s *Slot) NoOp() bool { return s.binding == nil }

// CheckTypes compares the element types and dimensions of a module's call with the Go types
// of the function, if callbacks.Call, Tap or Print made it. It returns the
// *callbacks.TemplateError that each call would return. A dimension of -1 is not known and
// fits a function that takes any dimensions. A nil error says nothing about functions that
// were made otherwise, nor about the dimensions of the arrays that the function will
// return.
func (s *Slot) CheckTypes(args, results []tensor.Shape) error {
	if s.binding == nil {
		return nil
	}
	parts, err := s.config.Divide(args, results)
	if err != nil {
		return err
	}
	return s.binding.CheckTypes(s.config, parts.Operands, parts.Results)
}

// Do handles a call of the compiled code in the run r, which may be nil. It calls the
// function according to its Dispatch, or skips the call, and counts it.
//
// If later is false, the call has ended. Do returns a *callbacks.CallError with the error of the
// function, a *callbacks.PanicError for a panic, and a *callbacks.TimeoutError for a call that took too
// long. If the run's context ends before or during the call, Do returns the context's error. The
// error of a tap is kept for the barrier instead. If later is true, the Transport must keep
// the call until its end is reported.
func (s *Slot) Do(c *Call, r *Run) (later bool, err error) {
	s = s.bound()
	if r != nil {
		c.run, c.own.Context = r, &r.ctx
	}
	if !s.plain || r != nil && r.special || trace.IsEnabled() {
		return s.do(c, r)
	}
	if err = c.from.Read(); err == nil {
		err = s.shortest(c, r)
	} else {
		err = s.unread(c, err)
	}
	c.end(s)
	return false, err
}

// do is Do for calls that may need more than an inline call of the function.
func (s *Slot) do(c *Call, r *Run) (later bool, err error) {
	skip := s.selective && s.skip(r) || r != nil && r.options.Devices > 1 && r.Err() != nil
	var wait time.Duration
	if !skip && s.perSecond > 0 {
		wait = s.binding.Wait(s.perSecond)
		skip = wait > 0 && r != nil && r.caller != nil
	}
	if skip {
		s.counts.dropped.Add(1)
		if err = c.from.Clear(); err != nil {
			err = s.unread(c, err)
		}
		return false, s.done(c, err)
	}
	if err := c.from.Read(); err != nil {
		return false, s.done(c, s.unread(c, err))
	}
	if wait > 0 {
		return false, s.done(c, s.postpone(c, r, wait))
	}
	if s.perSecond > 0 {
		s.overtake(c, r)
	}
	fn, ctx, err := s.prepare(c)
	if err != nil {
		return false, s.done(c, s.settle(c, r, err))
	}
	switch {
	case r != nil && r.caller != nil:
		started := s.counts.begin(s.measure)
		err = s.settle(c, r, r.onCaller(c, func() error { return s.inline(ctx, *fn, c, protect) }))
		s.counts.end(started)
	case s.onThread(r):
		started, call := s.counts.begin(s.measure), protectInline
		if r != nil && r.options.Apart {
			call = protectApart
		}
		err = s.settle(c, r, s.inline(ctx, *fn, c, call))
		s.counts.end(started)
	case s.dispatch == callbacks.Async:
		err = s.enqueue(ctx, *fn, c)
	default:
		if s.dispatch == callbacks.Deferred {
			if done := c.from.Defer(); done != nil {
				s.begin(c, *fn, ctx, done)
				return true, nil
			}
		}
		err = s.newTask(c, *fn, ctx).await()
	}
	return false, s.done(c, err)
}

// shortest calls a function inline, without anything around it.
func (s *Slot) shortest(c *Call, r *Run) error {
	fn := s.fn.Load()
	if fn == nil {
		return s.settle(c, r, s.gone())
	}
	if err := c.ended(); err != nil {
		return s.settle(c, r, expired{err})
	}
	err := protectInline(*fn, c)
	if err == nil {
		err = c.ended()
	}
	if err = c.from.Finish(err, s.zeros); err != nil {
		return s.failed(c, r, err)
	}
	if c.lane >= 0 {
		c.delivered = true
	} else {
		s.counts.delivered.Add(1)
	}
	return nil
}

// ended returns the error of the call's context, or nil if it has not ended.
func (c *Call) ended() error {
	if c.own.Context == nil {
		return nil
	}
	return (*c.own.Context).Err()
}

// done ends a call that does not end later.
func (s *Slot) done(c *Call, err error) error {
	c.end(s)
	return err
}

// begin makes a call that the runtime's thread does not wait for.
func (s *Slot) begin(c *Call, fn callbacks.Func, ctx context.Context, done func(error)) {
	r := c.run
	t := s.newTask(c, fn, ctx)
	t.done = done
	r.cancels(t.pool)
	who, err := t.submit(nil)
	if err != nil {
		t.end()
		t.recycle()
		done(s.done(c, s.settle(c, r, err)))
		return
	}
	who.let()
}

// prepare returns the function and the context of a call.
func (s *Slot) prepare(c *Call) (*callbacks.Func, context.Context, error) {
	fn := c.run.override(s)
	if fn == nil {
		if fn = s.fn.Load(); fn == nil {
			return nil, nil, s.gone()
		}
	}
	ctx := c.Context()
	if err := ctx.Err(); err != nil {
		return nil, nil, expired{err}
	}
	if s.config.Batching.Parallel != "" {
		fn = new(s.inParallel(*fn, c.run))
	}
	return fn, ctx, nil
}

// inline calls the function on this thread.
func (s *Slot) inline(
	ctx context.Context, fn callbacks.Func, c *Call, protect func(callbacks.Func, *Call) error,
) error {
	defer s.watch(c)()
	if s.engine.options.Profile || trace.IsEnabled() {
		defer s.profile(&c.Frame, ctx)()
	}
	if c.run.memory() != nil {
		// A late use of another call's memory then panics in this call.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	}
	if err := protect(fn, c); err != nil {
		return err
	}
	return ctx.Err()
}

// skip reports whether a call must not be made: no function is bound, or the module's
// "every" skips it.
func (s *Slot) skip(r *Run) bool {
	return s.binding == nil && r.override(s) == nil || !s.turn()
}

// turn counts for the module's "every".
func (s *Slot) turn() bool {
	n := s.config.Every
	return n <= 1 || (s.turns.Add(1)-1)%n == 0
}

// settle ends a call whose function has returned or that was given up. It counts the call,
// and keeps its error from the run if that of a tap, or callbacks.Options.KeepErrors, does not fail it.
func (s *Slot) settle(c *Call, r *Run, err error) error {
	count := s.countOf(&err)
	if err = c.from.Finish(err, s.zeros); err == nil {
		s.counts.delivered.Add(1)
		return nil
	}
	count.Add(1)
	return s.ended(c, r, err)
}

// expired is the error of a call whose function was not called, because its time was up.
type expired struct{ error }

// countOf returns the counter for a call that ends with an error. It removes the mark of expired ones.
func (s *Slot) countOf(err *error) *atomic.Int64 {
	if late, ok := (*err).(expired); ok {
		*err = late.error
		return &s.counts.expired
	}
	return &s.counts.failed
}

// unread returns the error of a call whose frame cannot be read.
func (s *Slot) unread(c *Call, err error) error {
	s.counts.failed.Add(1)
	return s.callError(c.Device, c.RunID, err)
}

func (s *Slot) failed(c *Call, r *Run, err error) error {
	s.counts.failed.Add(1)
	return s.ended(c, r, err)
}

// ended returns the error of the run for a call that ended with an error, which is counted.
func (s *Slot) ended(c *Call, r *Run, err error) error {
	switch {
	case (err == context.Canceled || err == context.DeadlineExceeded) && c.ended() != nil:
		return err // it says nothing about the callback
	case s.tap && !r.cancelled():
		s.keep(c.Device, c.RunID, r, err)
		return nil
	}
	return s.callError(c.Device, c.RunID, err)
}

func (s *Slot) callError(device int, runID int64, err error) *callbacks.CallError {
	return &callbacks.CallError{Callback: s.name, Loc: s.config.Loc, Device: device, RunID: runID, Err: err}
}

// keep stores the error of a call for the next barrier.
func (s *Slot) keep(device int, runID int64, r *Run, err error) {
	e := s.callError(device, runID, err)
	log := &s.engine.log
	r.taps().keepError(e, log)
	log.add(func() {
		s.engine.logger().Error("a call failed", "callback", s.name, "device", device, "run", runID, "error",
			errtext.Of(err))
	})
}

// protect calls the function and turns a panic into an error.
func protect(fn callbacks.Func, c *Call) (err error) { return protectFrame(fn, &c.Frame) }

func protectFrame(fn callbacks.Func, f *callbacks.Frame) (err error) {
	// A flag, because recover returns nil both for panic(nil) of old code and for Goexit.
	finished := false
	defer func() {
		if !finished {
			err = panicked(recover())
		}
	}()
	err = fn(f)
	finished = true
	return err
}
