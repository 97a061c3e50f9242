package callbacks

import (
	"context"
	"log/slog"
	"math"
	"runtime/debug"
	"runtime/trace"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/contract"
)

// Slot is a callback as one call site of an executable is bound to it. It may be
// invoked concurrently.
type Slot struct {
	config   contract.Config
	name     string
	registry string   // the name of the one that it was found in
	binding  *binding // nil where nothing is bound and nothing is to be done
	engine   *engine
	home     *Registry // of the counts
	dispatch Dispatch
	timeout  time.Duration
	tap      bool // an error does not fail the run
	plain    bool // the shortest way will do for most runs

	perSecond uint32
	turns     atomic.Int64 // calls, for the module's "every"
	spares    spares
	counts    counts
}

// newSlot binds a call site, which is not counted yet. b is nil for an optional callback
// that nobody registered.
func newSlot(r *Registry, config contract.Config, b *binding) (*Slot, error) {
	s := &Slot{config: config, name: config.Name(), registry: r.name, binding: b, engine: r.running(), home: r}
	s.tap = config.Form == contract.Observe
	if b == nil {
		return s, nil
	}
	o := b.options
	if err := o.checkForm(config); err != nil {
		return nil, err
	}
	s.dispatch, s.timeout = o.Dispatch, o.Timeout
	if s.timeout == 0 {
		s.timeout = s.engine.options.Timeout
	}
	if s.dispatch == Inline && s.timeout > 0 {
		s.dispatch = Goroutine
	}
	s.tap = (s.tap || s.dispatch == Async) && !o.FailRun
	s.perSecond = uint32(min(o.PerSecond, math.MaxUint32))
	s.counts.timed = o.Measure
	s.plain = s.dispatch == Inline && !o.Measure && s.engine.options.Watch == 0 && !s.engine.options.Profile
	return s, nil
}

// Deferred reports whether Begin may come back before the call is over.
func (s *Slot) Deferred() bool { return s.dispatch == Deferred }

// Name is that of the callback, or "id N".
func (s *Slot) Name() string { return s.name }

// Log writes a line to the log of the callback's registry, on a goroutine of its own; see
// slog.Logger.Log. The arguments must not change later.
func (s *Slot) Log(level slog.Level, message string, args ...any) {
	s.engine.log.add(func() { s.engine.logger().Log(context.Background(), level, message, args...) })
}

// InPlace reports whether the function gets the runtime's own memory in that run.
func (s *Slot) InPlace(r *Run) bool {
	return s.dispatch == Inline || r != nil && r.caller != nil
}

// NoOp reports whether nobody is bound: the callback is optional. A run may bring a
// function all the same.
func (s *Slot) NoOp() bool { return s.binding == nil }

// Picky reports whether Skip may ever say so.
func (s *Slot) Picky() bool {
	return s.binding == nil || s.config.Every > 1 || s.perSecond > 0
}

// Skip reports whether a call is not to be made, and counts it as dropped: nobody is
// bound, or it is not its turn by the module's "every" or by Options.PerSecond. A
// runtime asks it before it reads or copies anything, once for each call.
func (s *Slot) Skip(r *Run) bool {
	if s.binding == nil && r.override(s) == nil || !s.turn() || s.perSecond > 0 && !s.binding.rate.allow(s.perSecond) {
		s.counts.dropped.Add(1)
		return true
	}
	return false
}

// NotMade counts a call that compiled code made and the runtime does not: as failed
// where err is why, as dropped where its run has failed already.
func (s *Slot) NotMade(err error) {
	if err != nil {
		s.counts.failed.Add(1)
	} else {
		s.counts.dropped.Add(1)
	}
}

// Spoiled counts a call as failed that Invoke has counted as delivered: the runtime has
// found that its results are not where they should be.
func (s *Slot) Spoiled(f *Frame) {
	if f.delivered {
		f.delivered = false
	} else {
		s.counts.delivered.Add(-1)
	}
	s.counts.failed.Add(1)
}

// turn counts for the module's "every".
func (s *Slot) turn() bool {
	n := s.config.Every
	return n <= 1 || (s.turns.Add(1)-1)%n == 0
}

// Invoke makes a call and waits until it is over. The error that the function returns
// comes back as it is; a panic comes back as a *PanicError, a call that took too long
// as a *TimeoutError. That the run's context has ended, before the call or after it,
// is an error too. The error of a tap is kept for the barrier instead.
func (s *Slot) Invoke(f *Frame) error {
	if r := f.run; s.plain && (r == nil || !r.special) && !trace.IsEnabled() {
		fn := s.binding.fn.Load()
		if fn == nil {
			return s.settle(f, f.run, s.gone())
		}
		ctx := f.Context()
		err := ctx.Err()
		if err == nil {
			if err = protectInline(*fn, f); err == nil {
				err = ctx.Err()
			}
		}
		switch {
		case err != nil:
			return s.settle(f, f.run, err)
		case f.claimed:
			f.delivered = true
		default:
			s.counts.delivered.Add(1)
		}
		return nil
	}
	fn, ctx, err := s.prepare(f)
	if err != nil {
		return s.settle(f, f.run, err)
	}
	switch {
	case fn == nil:
		return nil
	case f.run != nil && f.run.caller != nil:
		started := s.counts.begin()
		err := s.settle(f, f.run, f.run.onCaller(f, func() error { return s.inline(ctx, *fn, f, protect) }))
		s.counts.end(started)
		return err
	case s.dispatch == Inline:
		started := s.counts.begin()
		err := s.settle(f, f.run, s.inline(ctx, *fn, f, protectInline))
		s.counts.end(started)
		return err
	case s.dispatch == Async:
		return s.enqueue(ctx, *fn, f)
	}
	return s.newCall(f, *fn, ctx).attend()
}

// Begin makes a call of a Deferred callback. Where later is false it is over, with err.
// Otherwise done is called once, on another goroutine, perhaps before Begin returns; until
// then f belongs to the call. By then the results are in the memory that f has, unless
// there is an error.
func (s *Slot) Begin(f *Frame, done func(error)) (later bool, err error) {
	run := f.run
	if s.dispatch != Deferred || run != nil && run.caller != nil {
		return false, s.Invoke(f)
	}
	fn, ctx, err := s.prepare(f)
	if err != nil {
		return false, s.settle(f, run, err)
	}
	if fn == nil {
		return false, nil
	}
	c := s.newCall(f, *fn, ctx)
	c.done = done
	run.cancels(c.pool)
	who, err := c.submit(nil)
	if err != nil {
		c.end()
		c.recycle()
		return false, s.settle(f, run, err)
	}
	who.let()
	return true, nil
}

// prepare finds the function and the context of a call; the function is nil where nobody
// is bound.
func (s *Slot) prepare(f *Frame) (*Func, context.Context, error) {
	fn := f.run.override(s)
	if fn == nil {
		if s.binding == nil {
			return nil, nil, nil
		}
		if fn = s.binding.fn.Load(); fn == nil {
			return nil, nil, s.gone()
		}
	}
	ctx := f.Context()
	return fn, ctx, ctx.Err()
}

// inline calls the function here and now.
func (s *Slot) inline(ctx context.Context, fn Func, f *Frame, protect func(Func, *Frame) error) error {
	defer s.watch(f, f.run)()
	if s.engine.options.Profile || trace.IsEnabled() {
		defer s.profile(f, ctx)()
	}
	if err := protect(fn, f); err != nil {
		return err
	}
	return ctx.Err()
}

// settle counts a call that is over, and keeps a tap's error from the run.
func (s *Slot) settle(f *Frame, run *Run, err error) error {
	if err == nil {
		s.counts.delivered.Add(1)
		return nil
	}
	s.counts.failed.Add(1)
	if !s.tap || run.cancelled() {
		return err
	}
	s.keep(f.Device, f.RunID, run, err)
	return nil
}

// keep has the error of a tap for the next barrier.
func (s *Slot) keep(device int, runID int64, run *Run, err error) {
	e := &CallError{Callback: s.name, Device: device, RunID: runID, Err: err}
	log := &s.engine.log
	run.taps().keepError(e, log)
	log.add(func() {
		s.engine.logger().Error("a tap failed", "callback", s.name, "device", device, "run", runID, "error", TextOf(err))
	})
}

func (s *Slot) gone() error {
	return s.binding.gone(s.config, s.registry)
}

// protect calls the function, and makes an error of a panic.
func protect(fn Func, f *Frame) (err error) {
	// A flag, because recover says nil for panic(nil) of old code and for Goexit.
	finished := false
	defer func() {
		if !finished {
			err = &PanicError{Callback: f.Name, Value: recover(), Stack: debug.Stack()}
		}
	}()
	err = fn(f)
	finished = true
	return err
}
