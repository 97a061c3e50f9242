package wait

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/engine"
)

// An Outcome is what a run leaves for those that wait for it. The zero value is that of a run in flight. It is safe for
// concurrent use.
type Outcome struct {
	held atomic.Bool

	mu        sync.Mutex
	settled   bool // the results are set, and it cannot be abandoned any more
	over      bool
	abandoned bool          // the waits have ended, and the outputs will be freed
	refused   bool          // nothing was executed
	ended     chan struct{} // closed when it is over; made on first use
	wake      chan struct{} // closed when it is over or abandoned; made on first use
	outputs   []*engine.Array
	err       error
}

// SetHeld says whether the goroutine that waits is inside XLA and cannot return.
func (o *Outcome) SetHeld(held bool) { o.held.Store(held) }

// Over returns a channel that is closed when the run is over.
func (o *Outcome) Over() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return channel(&o.ended, o.over)
}

// Wake returns a channel that is closed when the run is over or abandoned.
func (o *Outcome) Wake() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return channel(&o.wake, o.over || o.abandoned)
}

// channel returns the channel at a pointer, which it makes on first use, closed if it has
// happened.
func channel(at *chan struct{}, happened bool) chan struct{} {
	if *at == nil {
		*at = make(chan struct{})
		if happened {
			close(*at)
		}
	}
	return *at
}

// Until waits until the run is over or abandoned. It returns false if ctx ends first.
func (o *Outcome) Until(ctx context.Context) bool {
	o.mu.Lock()
	if o.over || o.abandoned {
		o.mu.Unlock()
		return true
	}
	wake := channel(&o.wake, false)
	o.mu.Unlock()
	select {
	case <-wake:
		return true
	case <-ctx.Done():
		return false
	}
}

// Result returns the outputs or the error, once they are known.
func (o *Outcome) Result() ([]*engine.Array, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.outputs, o.err
}

// Refusal returns the error of a run of which nothing was executed.
func (o *Outcome) Refusal() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refused {
		return o.err
	}
	return nil
}

// Abandon ends the waits for a run that is not over, after it has called cancel. It returns false if the waiting
// goroutine is inside XLA and cannot return.
func (o *Outcome) Abandon(err error, cancel func(error)) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.settled || o.abandoned:
	case o.held.Load():
		return false
	default:
		o.abandoned, o.err = true, err
		cancel(err)
		close(channel(&o.wake, false))
	}
	return true
}

// Abandoned reports whether the run was abandoned.
func (o *Outcome) Abandoned() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.abandoned
}

// Settle sets the results, unless the run was abandoned: then the caller must free the outputs.
func (o *Outcome) Settle(outputs []*engine.Array, err error, refused bool) (abandoned bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.abandoned {
		o.outputs, o.err, o.refused, o.settled = outputs, err, refused, true
	}
	return o.abandoned
}

// End says that the run is over, after Settle.
func (o *Outcome) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	if o.ended != nil {
		close(o.ended)
	}
	if o.wake != nil && !o.abandoned {
		close(o.wake)
	}
}
