package callbacks

import (
	"context"
	"sync"
	"time"
)

// deadline is the context of a call that has a limit. Most functions never wait for its
// end, so the timer is made by the first who does. It ends with the call, too.
type deadline struct {
	parent context.Context
	at     time.Time

	mu   sync.Mutex
	over bool            // the call
	made context.Context // by the first who waits
	stop context.CancelFunc
}

// Deadline implements context.Context.
func (d *deadline) Deadline() (time.Time, bool) {
	if earlier, ok := d.parent.Deadline(); ok && earlier.Before(d.at) {
		return earlier, true
	}
	return d.at, true
}

// Done implements context.Context.
func (d *deadline) Done() <-chan struct{} { return d.full().Done() }

// full is the same as a context of package context.
func (d *deadline) full() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made == nil {
		d.made, d.stop = context.WithDeadline(d.parent, d.at)
		if d.over {
			d.stop()
		}
	}
	return d.made
}

// Err implements context.Context.
func (d *deadline) Err() error {
	d.mu.Lock()
	made, over := d.made, d.over
	d.mu.Unlock()
	switch {
	case made != nil:
		return made.Err()
	case d.parent.Err() != nil:
		return d.parent.Err()
	case !time.Now().Before(d.at):
		return context.DeadlineExceeded
	case over:
		return context.Canceled
	}
	return nil
}

// Value implements context.Context.
func (d *deadline) Value(key any) any { return d.parent.Value(key) }

// AfterFunc is for contexts that are made of this one: with it package context needs no
// goroutine to see the end.
func (d *deadline) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(d.full(), f) }

// end says that the call is over.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.stop != nil {
		d.stop()
	}
}
