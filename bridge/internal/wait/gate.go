package wait

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// Width is how many runs XLA executes on one device at a time. A further run would wait
// inside XLA and keep a thread, of which Go allows 10,000.
const Width = 32

// A Gate queues the runs on one device in Go until XLA can execute them, in order. The zero value is open. It is safe
// for concurrent use.
type Gate struct {
	mu     sync.Mutex
	inside int
	queue  list.List // of *waiter
	closed bool
}

type waiter struct {
	since time.Duration // on the clock of MarkSeen; -1 before it
	err   error         // why it was rejected
	ready chan struct{} // closed when it has entered or is rejected
}

// ErrClosed is the error of a Gate, or a Sequence, whose client is closed.
var ErrClosed = fmt.Errorf("the client is %w", callbacks.ErrClosed)

// Enter waits until the run may start, until ctx ends, or until the waiter is rejected.
// alone reports whether no other run is on the device.
func (g *Gate) Enter(ctx context.Context) (alone bool, err error) {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return false, ErrClosed
	}
	if g.inside < Width {
		g.inside++
		alone = g.inside == 1
		g.mu.Unlock()
		return alone, nil
	}
	w := &waiter{since: -1, ready: make(chan struct{})}
	at := g.queue.PushBack(w)
	g.mu.Unlock()
	select {
	case <-w.ready:
		return false, w.err
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.ready: // it became ready at the same time
		if w.err == nil {
			g.leaveLocked()
		}
	default:
		g.queue.Remove(at)
	}
	return false, ctx.Err()
}

// WaitFor waits until a value can be received from over, until ctx ends, or until the waiter
// is rejected. It takes no place.
func (g *Gate) WaitFor(ctx context.Context, over <-chan struct{}) error {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return ErrClosed
	}
	w := &waiter{since: -1, ready: make(chan struct{})}
	at := g.queue.PushBack(w)
	g.mu.Unlock()
	var err error
	select {
	case <-over:
	case <-w.ready:
		return w.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.ready: // it was rejected at the same time, and is not in the queue
	default:
		g.queue.Remove(at)
	}
	return err
}

// Leave ends the run's place, and lets the next waiter enter.
func (g *Gate) Leave() {
	g.mu.Lock()
	g.leaveLocked()
	g.mu.Unlock()
}

// leaveLocked lets the next waiter enter.
func (g *Gate) leaveLocked() {
	if first := g.queue.Front(); first != nil {
		close(g.queue.Remove(first).(*waiter).ready)
		return
	}
	g.inside--
}

// MarkSeen records the time for waiters that it sees for the first time, on a clock of the caller.
func (g *Gate) MarkSeen(clock time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for at := g.queue.Back(); at != nil && at.Value.(*waiter).since < 0; at = at.Prev() {
		at.Value.(*waiter).since = clock
	}
}

// Reject rejects the waiters that were first seen at the time by or before. It reports
// whether there were any.
func (g *Gate) Reject(by time.Duration, err error) (any bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		first := g.queue.Front()
		if first == nil || first.Value.(*waiter).since < 0 || first.Value.(*waiter).since > by {
			return any
		}
		any = true
		g.rejectLocked(first, err)
	}
}

func (g *Gate) rejectLocked(at *list.Element, err error) {
	w := g.queue.Remove(at).(*waiter)
	w.err = err
	close(w.ready)
}

// Close rejects all waiters, and every later Enter.
func (g *Gate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for g.queue.Len() > 0 {
		g.rejectLocked(g.queue.Front(), ErrClosed)
	}
}

// Waiting returns the number of waiters.
func (g *Gate) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.queue.Len()
}
