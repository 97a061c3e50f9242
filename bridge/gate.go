package bridge

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// gateWidth is how many runs XLA takes on one device at a time. One more would wait
// inside of XLA, and hold a thread, of which Go has 10,000.
const gateWidth = 32

// gate has the runs on one device wait in Go for XLA to take them, in order.
type gate struct {
	mu     sync.Mutex
	inside int
	queue  list.List // of *gateWaiter
	closed bool
}

type gateWaiter struct {
	since time.Duration // of the clock of stalls, -1 where that has not seen it
	err   error         // why it was sent away
	ready chan struct{} // closed when it is in, or sent away
}

var errGateClosed = errors.New("the client is closed")

// enter waits for a place, until ctx ends or the waiter is sent away. alone says that
// nobody else is inside.
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
	case <-w.ready: // just so
		if w.err == nil {
			g.leaveLocked()
		}
	default:
		g.queue.Remove(at)
	}
	return false, ctx.Err()
}

func (g *gate) leave() {
	g.mu.Lock()
	g.leaveLocked()
	g.mu.Unlock()
}

// leaveLocked gives the place to the next one.
func (g *gate) leaveLocked() {
	if first := g.queue.Front(); first != nil {
		close(g.queue.Remove(first).(*gateWaiter).ready)
		return
	}
	g.inside--
}

// see notes when those who wait were first seen.
func (g *gate) see(clock time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for at := g.queue.Back(); at != nil && at.Value.(*gateWaiter).since < 0; at = at.Prev() {
		at.Value.(*gateWaiter).since = clock
	}
}

// sendAway sends those away who were seen by then, and reports whether there were any.
func (g *gate) sendAway(by time.Duration, err error) (any bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		first := g.queue.Front()
		if first == nil || first.Value.(*gateWaiter).since < 0 || first.Value.(*gateWaiter).since > by {
			return any
		}
		any = true
		g.sendAwayLocked(first, err)
	}
}

func (g *gate) sendAwayLocked(at *list.Element, err error) {
	w := g.queue.Remove(at).(*gateWaiter)
	w.err = err
	close(w.ready)
}

// close sends everybody away, and lets nobody in.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for g.queue.Len() > 0 {
		g.sendAwayLocked(g.queue.Front(), errGateClosed)
	}
}

// waiting is how many wait.
func (g *gate) waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.queue.Len()
}
