package dispatch

import (
	"context"
	"sync"
	"time"
)

// logQueue is the lines that wait to be logged. A log handler is anybody's: it may block,
// panic or call runtime.Goexit, so that lines are written on a goroutine of their own, one
// after the other, and never on a thread of the runtime's.
type logQueue struct {
	// tell writes that lines were dropped.
	tell func(dropped int)

	mu      sync.Mutex
	lines   []func()
	dropped int           // not told yet
	busy    bool          // somebody writes
	idle    chan struct{} // closed when nobody does; made by the first who waits
}

// logLines is how many lines may wait; further ones are dropped.
const logLines = 4096

// logWait is how long a barrier waits for lines to be written.
const logWait = time.Second

// add has a line written.
func (q *logQueue) add(line func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) >= logLines {
		q.dropped++
		return
	}
	q.lines = append(q.lines, line)
	if !q.busy {
		q.busy = true
		go q.write()
	}
}

// write writes until no line waits. A line that ends the goroutine is followed by
// another goroutine.
func (q *logQueue) write() {
	finished := false
	defer func() {
		_ = recover() // a handler that panics loses its line
		if !finished {
			go q.write()
		}
	}()
	for {
		q.mu.Lock()
		if n := q.dropped; n > 0 {
			q.dropped = 0
			q.lines = append(q.lines, func() { q.tell(n) })
		}
		if len(q.lines) == 0 {
			q.busy, finished = false, true
			if q.idle != nil {
				close(q.idle)
				q.idle = nil
			}
			q.mu.Unlock()
			return
		}
		line := q.lines[0]
		q.lines = q.lines[1:]
		q.mu.Unlock()
		line()
	}
}

// flush waits until the lines are written, for no longer than logWait.
func (q *logQueue) flush(ctx context.Context) {
	q.mu.Lock()
	if !q.busy {
		q.mu.Unlock()
		return
	}
	if q.idle == nil {
		q.idle = make(chan struct{})
	}
	idle := q.idle
	q.mu.Unlock()
	limit := time.NewTimer(logWait)
	defer limit.Stop()
	select {
	case <-idle:
	case <-limit.C:
	case <-ctx.Done():
	}
}
