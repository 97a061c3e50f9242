package callbacks

import (
	"context"
	"sync"
)

// lane is the calls of one device that wait for their turn. One goroutine makes them,
// while there are any. The zero value is empty.
type lane struct {
	mu      sync.Mutex
	waiting []func(done func())
	busy    bool
}

// push appends a call, which says when it is done.
func (l *lane) push(call func(done func())) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, call)
	if !l.busy {
		l.busy = true
		go l.drain()
	}
}

func (l *lane) drain() {
	done := make(chan struct{}, 1)
	for {
		l.mu.Lock()
		if len(l.waiting) == 0 {
			l.waiting, l.busy = nil, false
			l.mu.Unlock()
			return
		}
		call := l.waiting[0]
		l.waiting[0] = nil // it holds the operands
		l.waiting = l.waiting[1:]
		l.mu.Unlock()
		call(func() { done <- struct{}{} })
		<-done
	}
}

// flushed is closed when everything that is in the lane now is done.
func (l *lane) flushed() <-chan struct{} {
	passed := make(chan struct{})
	l.mu.Lock()
	idle := !l.busy
	l.mu.Unlock()
	if idle {
		close(passed)
		return passed
	}
	l.push(func(done func()) { close(passed); done() })
	return passed
}

// budget is a number of bytes that is divided among those who ask, in the order in
// which they do. Who asks for more than there is gets it alone.
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

// take waits for n bytes or for the context's end.
func (b *budget) take(ctx context.Context, n int) error {
	n = min(n, b.size)
	b.mu.Lock()
	if len(b.waiting) == 0 && b.used+n <= b.size {
		b.used += n
		b.mu.Unlock()
		return nil
	}
	c := &claim{n, make(chan struct{})}
	b.waiting = append(b.waiting, c)
	b.mu.Unlock()
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-c.ready: // at the last moment
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

// grant serves those who wait. The caller holds the lock.
func (b *budget) grant() {
	for len(b.waiting) > 0 && b.used+b.waiting[0].n <= b.size {
		b.used += b.waiting[0].n
		close(b.waiting[0].ready)
		b.waiting = b.waiting[1:]
	}
}
