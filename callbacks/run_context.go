package callbacks

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// runContext is the context of a run's calls. Most runs end before anybody waits for
// their end, so that what can be waited for is made by the first who asks.
type runContext struct {
	run   *Run
	outer context.Context
	// Whether outer may end.
	ends bool
	over atomic.Bool

	mu    sync.Mutex
	made  atomic.Pointer[madeContext]
	cause error // of over, under mu
}

// madeContext is what context.WithCancelCause made of the outer context.
type madeContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

func (c *runContext) begin(r *Run, outer context.Context) {
	c.run, c.outer, c.ends = r, outer, outer.Done() != nil
}

// make makes what can be waited for.
func (c *runContext) make() *madeContext {
	if m := c.made.Load(); m != nil {
		return m
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.makeLocked()
}

func (c *runContext) makeLocked() *madeContext {
	if m := c.made.Load(); m != nil {
		return m
	}
	m, outer := &madeContext{}, c.outer
	if c.over.Load() { // then the outer's end comes too late
		outer = context.WithoutCancel(outer)
	}
	m.Context, m.cancel = context.WithCancelCause(outer)
	if c.over.Load() {
		m.cancel(c.cause)
	}
	c.made.Store(m)
	return m
}

// cancel ends the context for a cause, nil for none but the end.
func (c *runContext) cancel(cause error) {
	c.mu.Lock()
	if !c.over.Load() {
		c.cause = cause
		if cause != nil || c.ends && c.outer.Err() != nil {
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
func (c *runContext) Deadline() (time.Time, bool) { return c.outer.Deadline() }

// Done implements context.Context.
func (c *runContext) Done() <-chan struct{} { return c.make().Done() }

// Err implements context.Context.
func (c *runContext) Err() error {
	if m := c.made.Load(); m != nil {
		return m.Err()
	}
	if c.over.Load() {
		return context.Canceled
	}
	if c.ends && c.outer.Err() != nil {
		return c.make().Err() // which stays what it is
	}
	return nil
}

// Value implements context.Context.
func (c *runContext) Value(key any) any {
	if key == (runKey{}) {
		return c.run
	}
	if m := c.made.Load(); m != nil {
		return m.Value(key)
	}
	return c.outer.Value(key)
}
