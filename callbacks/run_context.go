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
	if m := c.made.Load(); m != nil {
		return m
	}
	m := &madeContext{}
	m.Context, m.cancel = context.WithCancelCause(c.outer)
	c.made.Store(m)
	if c.over.Load() { // and whoever set it found none
		m.cancel(c.cause)
	}
	return m
}

// cancel ends the context for a cause, nil for none but the end.
func (c *runContext) cancel(cause error) {
	if cause != nil {
		c.mu.Lock()
		if !c.over.Load() {
			c.cause = cause
		}
		c.mu.Unlock()
		c.make() // context.Cause looks for it
	}
	c.over.Store(true)
	if m := c.made.Load(); m != nil {
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
	if c.ends {
		if err := c.outer.Err(); err != nil {
			return err
		}
	}
	if c.over.Load() {
		return context.Canceled
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
