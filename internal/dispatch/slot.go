package dispatch

import (
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
	"github.com/calliope-mlir/calliope/internal/errtext"
	"github.com/calliope-mlir/calliope/tensor"
)

// Slot is a callback as one call site of an executable is bound to it. It is safe for
// concurrent use.
type Slot struct {
	config   contract.Config
	name     string
	registry string                          // the name of the one that it was found in
	binding  binding                         // nil where nothing is bound and nothing is to be done
	fn       *atomic.Pointer[callbacks.Func] // of the binding
	engine   *engine
	home     *host // of the counts
	dispatch callbacks.Dispatch
	timeout  time.Duration
	tap      bool // an error does not fail the run
	plain    bool // the shortest way will do for most runs
	picky    bool // not every call is made

	perSecond uint32
	turns     atomic.Int64 // calls, for the module's "every"
	spares    spares
	counts    counts
}

// newSlot binds a call site, which is not counted yet. b is nil for an optional callback that nobody registered.
func newSlot(h *host, config contract.Config, b binding) (*Slot, error) {
	s := &Slot{config: config, name: config.Name(), registry: h.registry.Name(), binding: b, engine: h.running(), home: h}
	s.tap = config.Form == contract.Observe
	if b == nil {
		s.picky = true
		return s, nil
	}
	o := b.Options()
	if err := checkForm(o, config); err != nil {
		return nil, err
	}
	s.fn, s.dispatch, s.timeout = b.Function(), o.Dispatch, o.Timeout
	if s.timeout == 0 {
		s.timeout = s.engine.options.Timeout
	}
	if s.dispatch == callbacks.Inline && s.timeout > 0 {
		s.dispatch = callbacks.Goroutine
	}
	s.tap = (s.tap || s.dispatch == callbacks.Async) && !o.FailRun
	s.perSecond = uint32(min(o.PerSecond, math.MaxUint32))
	s.picky = config.Every > 1 || s.perSecond > 0
	s.counts.timed = o.Measure
	s.plain = s.dispatch == callbacks.Inline && !s.picky && !o.Measure && s.engine.options.Watch == 0 && !s.engine.options.Profile
	return s, nil
}

// checkForm holds the options against the form in which a module calls.
func checkForm(o callbacks.Options, c contract.Config) error {
	switch {
	case o.Dispatch == callbacks.Async && c.Form != contract.Observe && c.Form != contract.Passthrough:
		return fmt.Errorf("callbacks: callback %q is registered with Async, and the module calls it in the form %q, which has results that the device waits for: use Deferred", c.Name(), c.Form)
	case o.PerSecond > 0 && c.Form.Target() == contract.TargetRuntimeCall:
		return fmt.Errorf("callbacks: callback %q is registered with PerSecond, and the module calls it in the form %q: somebody must make its results each time", c.Name(), c.Form)
	}
	return nil
}

// Name returns the name of the callback, or "id N".
func (s *Slot) Name() string { return s.name }

// Log writes a line to the log of the callback's registry, on a goroutine of its own; see
// slog.Logger.Log. The arguments must not change later.
func (s *Slot) Log(level slog.Level, message string, args ...any) {
	s.engine.log.add(func() { s.engine.logger().Log(context.Background(), level, message, args...) })
}

// InPlace reports whether the function gets the runtime's own memory in that run.
func (s *Slot) InPlace(r *Run) bool {
	return s.dispatch == callbacks.Inline || r != nil && r.caller != nil
}

// Deferred reports whether the runtime's thread need not wait for calls.
func (s *Slot) Deferred() bool { return s.dispatch == callbacks.Deferred }

// NoOp reports whether nobody is bound: the callback is optional. A run may bring a
// function all the same.
func (s *Slot) NoOp() bool { return s.binding == nil }

// CheckTypes holds the element types and dimensions of a module's call against the Go
// types of the function, where callbacks.Call, Tap or Print made it: what would be a
// *callbacks.TemplateError in each call is one now. A dimension of -1 is not known, and
// fits what takes any dimensions. A nil error says nothing of functions that were made
// otherwise, nor of the dimensions of the arrays that the function will return.
func (s *Slot) CheckTypes(args, results []tensor.Shape) error {
	if s.binding == nil {
		return nil
	}
	return s.binding.CheckTypes(s.config, args, results)
}

// Do takes a call that compiled code makes, in the run r, which may be nil. It has the
// function called in the way that the callback is registered for, or not at all, and
// counts the call.
//
// Where later is false the call is over. The error that the function returned comes back
// as it is; a panic comes back as a *callbacks.PanicError, a call that took too long as a
// *callbacks.TimeoutError. That the run's context has ended, before the call or after it,
// is an error too. The error of a tap is kept for the barrier instead. Where later is true
// the call is its Source's until that is told the end.
func (s *Slot) Do(c *Call, r *Run) (later bool, err error) {
	if r != nil {
		c.run, c.own.Context = r, &r.ctx
	}
	if !s.plain || r != nil && r.special || trace.IsEnabled() {
		return s.do(c, r)
	}
	if err = c.from.Read(); err == nil {
		err = s.shortest(c, r)
	} else {
		s.counts.failed.Add(1)
	}
	c.end(s)
	return false, err
}

// do is Do for what may have more to it than a function that is called inline.
func (s *Slot) do(c *Call, r *Run) (later bool, err error) {
	if s.picky && s.skip(r) || r != nil && r.options.Devices > 1 && r.Err() != nil {
		s.counts.dropped.Add(1)
		return false, s.done(c, c.from.Clear())
	}
	if err := c.from.Read(); err != nil {
		s.counts.failed.Add(1)
		return false, s.done(c, err)
	}
	fn, ctx, err := s.prepare(c)
	if err != nil {
		return false, s.done(c, s.settle(c, r, err))
	}
	switch {
	case r != nil && r.caller != nil:
		started := s.counts.begin()
		err = s.settle(c, r, r.onCaller(c, func() error { return s.inline(ctx, *fn, c, protect) }))
		s.counts.end(started)
	case s.dispatch == callbacks.Inline:
		started := s.counts.begin()
		err = s.settle(c, r, s.inline(ctx, *fn, c, protectInline))
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
		err = s.newTask(c, *fn, ctx).attend()
	}
	return false, s.done(c, err)
}

// shortest calls a function that is called inline, with nothing to do around it.
func (s *Slot) shortest(c *Call, r *Run) error {
	fn := s.fn.Load()
	if fn == nil {
		return s.settle(c, r, s.gone())
	}
	err := c.ended()
	if err == nil {
		if err = protectInline(*fn, c); err == nil {
			err = c.ended()
		}
	}
	if err = c.from.Finish(err); err != nil {
		return s.failed(c, r, err)
	}
	if c.lane >= 0 {
		c.delivered = true
	} else {
		s.counts.delivered.Add(1)
	}
	return nil
}

// ended returns why the context of the call has ended, nil where it has not.
func (c *Call) ended() error {
	if c.own.Context == nil {
		return nil
	}
	return (*c.own.Context).Err()
}

// done ends a call that is not over later.
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

// prepare finds the function and the context of a call.
func (s *Slot) prepare(c *Call) (*callbacks.Func, context.Context, error) {
	fn := c.run.override(s)
	if fn == nil {
		if fn = s.fn.Load(); fn == nil {
			return nil, nil, s.gone()
		}
	}
	ctx := c.Context()
	return fn, ctx, ctx.Err()
}

// inline calls the function here and now.
func (s *Slot) inline(ctx context.Context, fn callbacks.Func, c *Call, protect func(callbacks.Func, *Call) error) error {
	defer s.watch(c)()
	if s.engine.options.Profile || trace.IsEnabled() {
		defer s.profile(&c.Frame, ctx)()
	}
	if c.run.memory() != nil {
		// A late use of what another call had is then a panic of this one.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	}
	if err := protect(fn, c); err != nil {
		return err
	}
	return ctx.Err()
}

// skip reports whether a call is not to be made: nobody is bound, or it is not its turn by
// the module's "every" or by Options.PerSecond.
func (s *Slot) skip(r *Run) bool {
	return s.binding == nil && r.override(s) == nil || !s.turn() || s.perSecond > 0 && !s.binding.Allow(s.perSecond)
}

// turn counts for the module's "every".
func (s *Slot) turn() bool {
	n := s.config.Every
	return n <= 1 || (s.turns.Add(1)-1)%n == 0
}

// settle ends a call that the function has returned from, or that was given up. It counts
// the call, and keeps a tap's error from the run.
func (s *Slot) settle(c *Call, r *Run, err error) error {
	if err = c.from.Finish(err); err == nil {
		s.counts.delivered.Add(1)
		return nil
	}
	return s.failed(c, r, err)
}

func (s *Slot) failed(c *Call, r *Run, err error) error {
	s.counts.failed.Add(1)
	if !s.tap || r.cancelled() {
		return err
	}
	s.keep(c.Device, c.RunID, r, err)
	return nil
}

// keep has the error of a tap for the next barrier.
func (s *Slot) keep(device int, runID int64, r *Run, err error) {
	e := &callbacks.CallError{Callback: s.name, Device: device, RunID: runID, Err: err}
	log := &s.engine.log
	r.taps().keepError(e, log)
	log.add(func() {
		s.engine.logger().Error("a tap failed", "callback", s.name, "device", device, "run", runID, "error", errtext.Of(err))
	})
}

func (s *Slot) gone() error { return s.binding.Gone(s.config, s.registry) }

// protect calls the function, and makes an error of a panic.
func protect(fn callbacks.Func, c *Call) (err error) { return protectFrame(fn, &c.Frame) }

func protectFrame(fn callbacks.Func, f *callbacks.Frame) (err error) {
	// A flag, because recover says nil for panic(nil) of old code and for Goexit.
	finished := false
	defer func() {
		if !finished {
			err = &callbacks.PanicError{Callback: f.Name, Value: recover(), Stack: debug.Stack()}
		}
	}()
	err = fn(f)
	finished = true
	return err
}
