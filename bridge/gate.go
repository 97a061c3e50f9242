package bridge

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"
)

// gateWidth is how many runs XLA executes on one device at a time. A further run would wait
// inside XLA and keep a thread, of which Go allows 10,000.
const gateWidth = 32

// A gate queues the runs on one device in Go until XLA can execute them, in order.
type gate struct {
	mu     sync.Mutex
	inside int
	queue  list.List // of *gateWaiter
	closed bool
}

type gateWaiter struct {
	since time.Duration // on the clock of stalls; -1 before markSeen
	err   error         // why it was rejected
	ready chan struct{} // closed when it has entered or is rejected
}

var errGateClosed = fmt.Errorf("the client is %w", ErrClosed)

// enter waits until the run may start, until ctx ends, or until the waiter is rejected.
// alone reports whether no other run is on the device.
func (g *gate) enter(ctx context.Context) (alone bool, err error) {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return false, errGateClosed
	}
	if g.inside < gateWidth {
		g.inside++
		alone = g.inside == 1
		g.mu.Unlock()
		return alone, nil
	}
	w := &gateWaiter{since: -1, ready: make(chan struct{})}
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

// waitFor waits until a value can be received from over, until ctx ends, or until the waiter
// is rejected. It takes no place.
func (g *gate) waitFor(ctx context.Context, over <-chan struct{}) error {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return errGateClosed
	}
	w := &gateWaiter{since: -1, ready: make(chan struct{})}
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

func (g *gate) leave() {
	g.mu.Lock()
	g.leaveLocked()
	g.mu.Unlock()
}

// leaveLocked lets the next waiter enter.
func (g *gate) leaveLocked() {
	if first := g.queue.Front(); first != nil {
		close(g.queue.Remove(first).(*gateWaiter).ready)
		return
	}
	g.inside--
}

// markSeen records the time for waiters that it sees for the first time.
func (g *gate) markSeen(clock time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for at := g.queue.Back(); at != nil && at.Value.(*gateWaiter).since < 0; at = at.Prev() {
		at.Value.(*gateWaiter).since = clock
	}
}

// reject rejects the waiters that were first seen at the time by or before. It reports
// whether there were any.
func (g *gate) reject(by time.Duration, err error) (any bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		first := g.queue.Front()
		if first == nil || first.Value.(*gateWaiter).since < 0 || first.Value.(*gateWaiter).since > by {
			return any
		}
		any = true
		g.rejectLocked(first, err)
	}
}

func (g *gate) rejectLocked(at *list.Element, err error) {
	w := g.queue.Remove(at).(*gateWaiter)
	w.err = err
	close(w.ready)
}

// close rejects all waiters, and every later enter.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for g.queue.Len() > 0 {
		g.rejectLocked(g.queue.Front(), errGateClosed)
	}
}

// waiting returns the number of waiters.
func (g *gate) waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.queue.Len()
}
