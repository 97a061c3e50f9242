package dispatch

import (
	"context"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// lane is the queue of the async calls of one device, which are made one after the other.
// The zero value is empty.
type lane struct {
	mu      sync.Mutex
	waiting []queued
	first   int  // index into waiting; earlier elements are removed
	busy    bool // a call is in flight
}

// laneKept is the capacity that an empty lane keeps.
const laneKept = 1024

// queued is a call, or, if call is nil, a waiter for the calls before it.
type queued struct {
	call   *task
	passed chan struct{}
}

// push appends a call.
func (l *lane) push(q queued) {
	l.mu.Lock()
	l.waiting = append(l.waiting, q)
	start := !l.busy
	l.busy = true
	l.mu.Unlock()
	if start {
		l.advance(nil)
	}
}

// advance starts the next call, on the worker w if possible. It returns w if w is free.
func (l *lane) advance(w *worker) *worker {
	for {
		q, ok := l.pop()
		if !ok {
			return w
		}
		if q.call == nil {
			close(q.passed)
			continue
		}
		c := q.call
		c.slot.queued(-1)
		by := w
		if by != nil && by.pool != c.pool {
			by = nil
		}
		_, err := c.submit(by)
		if err == nil {
			if by == nil {
				return w
			}
			return nil
		}
		t := c.terms
		c.recycle()
		t.end()
		t.slot.tapped(&t, err)
	}
}

func (l *lane) pop() (q queued, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == len(l.waiting) {
		l.waiting, l.first, l.busy = l.waiting[:0], 0, false
		if cap(l.waiting) > laneKept {
			l.waiting = nil
		}
		return queued{}, false
	}
	q = l.waiting[l.first]
	l.waiting[l.first] = queued{} // it holds the operands
	l.first++
	if l.first == len(l.waiting) {
		l.waiting, l.first = l.waiting[:0], 0
	} else if l.first > laneKept && l.first > len(l.waiting)/2 {
		l.waiting, l.first = append(l.waiting[:0], l.waiting[l.first:]...), 0
	}
	return q, true
}

// flushed returns a channel that is closed when everything that is in the lane now is done.
func (l *lane) flushed() <-chan struct{} {
	passed := make(chan struct{})
	l.push(queued{passed: passed})
	return passed
}

// queueOverhead is the size of a call in the queue besides its operands, in bytes.
const queueOverhead = 512

// enqueue copies the call into the queue of its device. If the queue is full, it waits.
func (s *Slot) enqueue(ctx context.Context, fn callbacks.Func, f *Call) error {
	run := f.run
	size := f.copySize() + queueOverhead
	if err := s.room(ctx, run, size); err != nil {
		return s.settle(f, run, err)
	}
	// The run may end before the call does, and its end does not stop the call.
	c := s.newTask(f, fn, run.detached(ctx))
	c.origin, c.size, c.lane = nil, size, run.taps().lane(f.Device)
	s.queued(1)
	c.lane.push(queued{call: c})
	return f.from.Finish(nil, false)
}

// tapped records the result of an async call.
func (s *Slot) tapped(t *terms, err error) {
	if err == nil {
		s.counts.delivered.Add(1)
	} else {
		s.countOf(&err).Add(1)
		s.keep(t.device, t.runID, t.run, err)
	}
	s.engine.queue.give(t.size)
}

// room reserves space in the queue.
func (s *Slot) room(ctx context.Context, run *Run, size int) error {
	if s.engine.queue.tryTake(size) {
		return nil
	}
	limit := s.limit(run)
	within := ctx
	if limit > 0 {
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, limit)
		defer stop()
	}
	err := s.engine.queue.take(within, size)
	if err != nil && ctx.Err() == nil {
		err = &callbacks.TimeoutError{Limit: limit, Waiting: "for room in the queue", Capped: limit != s.timeout}
	}
	if err != nil {
		return expired{err}
	}
	return nil
}

// limit returns the timeout of a call, or 0 for none.
func (s *Slot) limit(run *Run) time.Duration {
	if run.several() && (s.timeout == 0 || s.timeout > collectiveLimit) {
		return collectiveLimit
	}
	return s.timeout
}

// collectiveLimit is the maximum timeout of a call in a run on several devices: XLA ends
// the process when devices wait for each other for 60 s, and part of that time passes
// before and after the call.
const collectiveLimit = 45 * time.Second

// budget is a number of bytes that is granted to callers in the order of their requests. A
// caller that requests more than the total gets it alone.
type budget struct {
	size int

	mu      sync.Mutex
	used    int
	waiting []*claim
}

type claim struct {
	n     int
	ready chan struct{} // closed with the claim granted
}

// tryTake takes n bytes if they are available.
func (b *budget) tryTake(n int) bool {
	n = min(n, b.size)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) > 0 || b.used+n > b.size {
		return false
	}
	b.used += n
	return true
}

// take waits for n bytes or for the end of the context.
func (b *budget) take(ctx context.Context, n int) error {
	if b.tryTake(n) {
		return nil
	}
	n = min(n, b.size)
	b.mu.Lock()
	c := &claim{n, make(chan struct{})}
	b.waiting = append(b.waiting, c)
	b.grant() // of what was returned meanwhile
	b.mu.Unlock()
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-c.ready: // granted at the same time
		return nil
	default:
	}
	for i, other := range b.waiting {
		if other == c {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			break
		}
	}
	b.grant()
	return ctx.Err()
}

// give returns what take took.
func (b *budget) give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= min(n, b.size)
	b.grant()
}

// grant serves the waiters once a quarter is free: a waiter has to sleep, and should find
// room for more than one call when it wakes. The caller holds the lock.
func (b *budget) grant() {
	if b.used > b.size/4*3 {
		return
	}
	for len(b.waiting) > 0 && b.used+b.waiting[0].n <= b.size {
		b.used += b.waiting[0].n
		close(b.waiting[0].ready)
		b.waiting = b.waiting[1:]
	}
}
