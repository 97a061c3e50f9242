package dispatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// lazyContext is the context of a run's calls, or of one call with a timeout. Most of these
// contexts end before any goroutine waits for their end. So the channel is made only when
// it is first needed.
type lazyContext struct {
	outer context.Context
	run   *Run      // nil for a call, whose outer context has the run
	at    time.Time // the deadline; zero for none
	ends  bool      // outer may end
	over  atomic.Bool

	mu    sync.Mutex
	made  atomic.Pointer[madeContext]
	cause error // cause of over, guarded by mu
}

// madeContext is what context.WithCancelCause returned for the outer context.
type madeContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

func (c *lazyContext) begin(outer context.Context, r *Run, at time.Time) {
	_, ends := outer.(*lazyContext) // calling its Done would make its channel
	c.outer, c.run, c.at, c.ends = outer, r, at, ends || outer.Done() != nil
}

// passed reports whether the outer context or the deadline has ended this one.
func (c *lazyContext) passed() bool {
	return c.ends && c.outer.Err() != nil || !c.at.IsZero() && !time.Now().Before(c.at)
}

// make makes the context that can be waited for.
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
	if c.over.Load() { // ended before the outer context
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

// cancel ends the context with a cause, which may be nil.
func (c *lazyContext) cancel(cause error) {
	c.mu.Lock()
	if !c.over.Load() {
		c.cause = cause
		if cause != nil || c.passed() {
			c.makeLocked() // context.Cause looks there, and the first cause is kept
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
		return c.make().Err() // which does not change any more
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
