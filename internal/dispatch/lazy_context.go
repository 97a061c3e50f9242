package dispatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// lazyContext is the context of a run's calls, or of one call that has a limit. Most end
// before anybody waits for their end, so that what can be waited for is made by the first
// who asks.
type lazyContext struct {
	outer context.Context
	run   *Run      // nil in that of a call, whose outer context knows it
	at    time.Time // the limit; zero for none
	ends  bool      // outer may end
	over  atomic.Bool

	mu    sync.Mutex
	made  atomic.Pointer[madeContext]
	cause error // of over, under mu
}

// madeContext is what context.WithCancelCause made of the outer context.
type madeContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

func (c *lazyContext) begin(outer context.Context, r *Run, at time.Time) {
	_, ends := outer.(*lazyContext) // which is not to be made for the question
	c.outer, c.run, c.at, c.ends = outer, r, at, ends || outer.Done() != nil
}

// passed reports whether the outer context or the time has ended this one.
func (c *lazyContext) passed() bool {
	return c.ends && c.outer.Err() != nil || !c.at.IsZero() && !time.Now().Before(c.at)
}

// make makes what can be waited for.
func (c *lazyContext) make() *madeContext {
	if m := c.made.Load(); m != nil {
		return m
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.makeLocked()
}

func (c *lazyContext) makeLocked() *madeContext {
	if m := c.made.Load(); m != nil {
		return m
	}
	m, outer := &madeContext{}, c.outer
	if c.over.Load() { // then the outer's end comes too late
		outer = context.WithoutCancel(outer)
	}
	m.Context, m.cancel = context.WithCancelCause(outer)
	switch {
	case c.over.Load():
		m.cancel(c.cause)
	case !c.at.IsZero():
		cancel := m.cancel
		timed, stop := context.WithDeadline(m.Context, c.at)
		m.Context, m.cancel = timed, func(cause error) { cancel(cause); stop() }
	}
	c.made.Store(m)
	return m
}

// cancel ends the context for a cause, nil for none but the end.
func (c *lazyContext) cancel(cause error) {
	c.mu.Lock()
	if !c.over.Load() {
		c.cause = cause
		if cause != nil || c.passed() {
			c.makeLocked() // where context.Cause looks, and what came first is kept
		}
		c.over.Store(true)
	}
	m := c.made.Load()
	c.mu.Unlock()
	if m != nil {
		m.cancel(cause)
	}
}

// Deadline implements context.Context.
func (c *lazyContext) Deadline() (time.Time, bool) {
	outer, ok := c.outer.Deadline()
	if c.at.IsZero() || ok && outer.Before(c.at) {
		return outer, ok
	}
	return c.at, true
}

// Done implements context.Context.
func (c *lazyContext) Done() <-chan struct{} { return c.make().Done() }

// Err implements context.Context.
func (c *lazyContext) Err() error {
	if m := c.made.Load(); m != nil {
		return m.Err()
	}
	if c.over.Load() {
		return context.Canceled
	}
	if c.passed() {
		return c.make().Err() // which stays what it is
	}
	return nil
}

// Value implements context.Context.
func (c *lazyContext) Value(key any) any {
	if c.run != nil && key == (runKey{}) {
		return c.run
	}
	if m := c.made.Load(); m != nil {
		return m.Value(key)
	}
	return c.outer.Value(key)
}
