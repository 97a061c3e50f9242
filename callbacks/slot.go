package callbacks

import (
	"context"
	"log/slog"
	"math"
	"runtime/debug"
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
	counts    counts
}

// newSlot binds a call site. b is nil for an optional callback that nobody registered.
func newSlot(r *Registry, config contract.Config, b *binding) (*Slot, error) {
	s := &Slot{config: config, name: config.Name(), registry: r.name, binding: b, engine: r.running()}
	s.tap = config.Form == contract.Observe
	if b == nil {
		r.tally(s)
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
	s.tap = s.tap && !o.FailRun
	s.perSecond = uint32(min(o.PerSecond, math.MaxUint32))
	s.counts.timed = o.Measure
	s.plain = s.dispatch == Inline && !o.Measure && s.engine.options.Watch == 0
	r.tally(s)
	return s, nil
}

// Deferred reports whether Begin may come back before the call is over.
func (s *Slot) Deferred() bool { return s.dispatch == Deferred }

// Logger is the one of the callback's registry.
func (s *Slot) Logger() *slog.Logger { return s.engine.logger() }

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
	if r := f.run; s.plain && (r == nil || !r.special) {
		fn := s.binding.fn.Load()
		if fn == nil {
			return s.settle(f, f.run, s.gone())
		}
		ctx := f.Context()
		err := ctx.Err()
		if err == nil {
			if err = protect(*fn, f); err == nil {
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
	if s.binding == nil && (f.run == nil || !f.run.special) {
		return nil
	}
	over := make(chan error, 1)
	later, err := s.Begin(f, func(err error) { over <- err })
	if later {
		err = <-over
	}
	return err
}

// Begin makes a call. Where later is false it is over, with err. Otherwise done is
// called once, on another goroutine, perhaps before Begin returns; by then the results
// are in the memory that f had at the beginning, unless there is an error.
func (s *Slot) Begin(f *Frame, done func(error)) (later bool, err error) {
	run := f.run
	fn := run.override(s)
	if fn == nil {
		if s.binding == nil {
			return false, nil
		}
		if fn = s.binding.fn.Load(); fn == nil {
			return false, s.settle(f, run, s.gone())
		}
	}
	ctx := f.Context()
	if err := ctx.Err(); err != nil {
		return false, s.settle(f, run, err)
	}
	switch {
	case run != nil && run.caller != nil:
		started := s.counts.begin()
		err := s.settle(f, run, run.onCaller(f, func() error { return s.inline(ctx, *fn, f) }))
		s.counts.end(started)
		return false, err
	case s.dispatch == Inline:
		started := s.counts.begin()
		err := s.settle(f, run, s.inline(ctx, *fn, f))
		s.counts.end(started)
		return false, err
	case s.dispatch == Async:
		return false, s.enqueue(ctx, *fn, f)
	}
	own := f.copies()
	to, from := memories(f.Results), memories(own.Results)
	started := s.counts.begin()
	s.start(ctx, *fn, own, run, func(err error) {
		if err == nil {
			for i, data := range from {
				copy(to[i], data)
			}
		}
		err = s.settle(own, run, err)
		s.counts.end(started)
		done(err)
	})
	return true, nil
}

// inline calls the function here and now.
func (s *Slot) inline(ctx context.Context, fn Func, f *Frame) error {
	defer s.watch(f, f.run, nil)()
	if err := protect(fn, f); err != nil {
		return err
	}
	return ctx.Err()
}

// queueOverhead is what a call in the queue takes besides its operands.
const queueOverhead = 512

// enqueue copies the call into the queue of its device, and waits where that is full.
func (s *Slot) enqueue(ctx context.Context, fn Func, f *Frame) error {
	run := f.run
	size := f.copySize() + queueOverhead
	if err := s.room(ctx, run, size); err != nil {
		return s.settle(f, run, err)
	}
	own := f.copies()
	started := s.counts.begin()
	// The run may be over before the call is: its end is not the call's.
	ctx = context.WithoutCancel(ctx)
	run.taps().lane(f.Device).push(func(next func()) {
		s.start(ctx, fn, own, run, func(err error) {
			if err == nil {
				s.counts.delivered.Add(1)
			} else {
				s.counts.failed.Add(1)
				s.keep(own, run, err)
			}
			s.counts.end(started)
			s.engine.queue.give(size)
			next()
		})
	})
	return nil
}

// room takes a part of the queue.
func (s *Slot) room(ctx context.Context, run *Run, size int) error {
	limit := s.limit(run)
	within := ctx
	if limit > 0 {
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, limit)
		defer stop()
	}
	err := s.engine.queue.take(within, size)
	if err != nil && ctx.Err() == nil {
		return &TimeoutError{Callback: s.name, Limit: limit, Waiting: "for room in the queue", Capped: limit != s.timeout}
	}
	return err
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
	s.keep(f, run, err)
	return nil
}

// keep has the error of a tap for the next barrier.
func (s *Slot) keep(f *Frame, run *Run, err error) {
	e := &CallError{Callback: s.name, Device: f.Device, RunID: f.RunID, Err: err}
	run.taps().keepError(e)
	s.engine.logger().Error("a tap failed", "callback", s.name, "device", f.Device, "run", f.RunID, "error", textOf(err))
}

func (s *Slot) gone() error {
	return s.binding.gone(s.config, s.registry)
}

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
