package callbacks

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// collectiveLimit is the longest that a call may take in a run on several devices:
// XLA ends the process when devices wait for one another for 60 s, and some of
// those go by before and after the call.
const collectiveLimit = 45 * time.Second

// call is one call on a goroutine of ours.
type call struct {
	slot  *Slot
	fn    Func
	frame *Frame // copies
	run   *Run
	ctx   context.Context
	limit time.Duration // 0 is none

	over    atomic.Bool
	begun   atomic.Bool // the function has a place to run on
	stop    context.CancelFunc
	unwatch func()
	done    func(error)
}

// start calls fn on a goroutine, and done exactly once: with what the function
// returned, or with the error of a call that took too long or whose context ended.
// What the function does after that is nobody's business. The frame is a copy.
func (s *Slot) start(ctx context.Context, fn Func, frame *Frame, run *Run, done func(error)) {
	p := &call{slot: s, fn: fn, frame: frame, run: run, limit: s.limit(run), done: done}
	if p.limit > 0 {
		// Its own cause tells this end from that of the run.
		p.ctx, p.stop = context.WithTimeoutCause(ctx, p.limit, errTimeUp)
	} else {
		p.ctx, p.stop = context.WithCancel(ctx)
	}
	frame.ctx, frame.run = p.ctx, nil
	p.unwatch = s.watch(frame, run, &p.begun)
	p.watchContext()
}

// watchContext runs the call and finishes it when its context ends.
func (p *call) watchContext() {
	stopped := context.AfterFunc(p.ctx, func() { p.finish(p.ended()) })
	go func() {
		var err error = &GoexitError{Callback: p.frame.Name} // stays where the function ends the goroutine
		defer func() {
			stopped()
			p.finish(err)
		}()
		err = p.call()
	}()
}

var errTimeUp = errors.New("time is up")

// limit is how long a call may take, 0 for as long as it likes.
func (s *Slot) limit(run *Run) time.Duration {
	if run.several() && (s.timeout == 0 || s.timeout > collectiveLimit) {
		return collectiveLimit
	}
	return s.timeout
}

// ended is why the call's context has ended.
func (p *call) ended() error {
	if context.Cause(p.ctx) != errTimeUp {
		return p.ctx.Err()
	}
	e := &TimeoutError{Callback: p.frame.Name, Limit: p.limit, Capped: p.limit != p.slot.timeout}
	if !p.begun.Load() {
		e.Waiting = "for a worker"
	}
	return e
}

// call waits for a place, calls the function there, and frees the place: when the
// call is finished the runtime goes on, perhaps with all that is left of the run.
func (p *call) call() error {
	if places := p.slot.engine.places; !p.run.nested() {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		case <-p.ctx.Done():
		}
	}
	if p.ctx.Err() != nil {
		return p.ended()
	}
	p.begun.Store(true)
	defer p.run.enter()()
	err := protect(p.fn, p.frame)
	if p.ctx.Err() != nil {
		// What a function says when its call has ended is too late, also where it says
		// so before the context does.
		err = p.ended()
	}
	return err
}

// finish ends the call, for the first who asks.
func (p *call) finish(err error) {
	if !p.over.CompareAndSwap(false, true) {
		return
	}
	p.unwatch()
	p.done(err)
	p.stop()
}
