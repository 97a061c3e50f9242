package dispatch

import (
	"context"
	"sync"
	"time"
)

// logQueue holds the lines that wait to be logged. A log handler is user-defined: it may
// block, panic or call runtime.Goexit. So the lines are written on a separate goroutine,
// one after the other, and never on a thread of the runtime.
type logQueue struct {
	// reportDropped logs that lines were dropped.
	reportDropped func(dropped int)

	mu      sync.Mutex
	lines   []func()
	dropped int           // not reported yet
	busy    bool          // a goroutine writes
	idle    chan struct{} // closed when no goroutine writes; made by the first waiter
}

// logLines limits how many lines may wait. Further lines are dropped.
const logLines = 4096

// logWait limits how long a barrier waits for lines to be written.
const logWait = time.Second

// add queues a line.
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

// write writes until no line waits. If a line ends the goroutine, another goroutine
// continues.
func (q *logQueue) write() {
	finished := false
	defer func() {
		_ = recover() // the line of a handler that panics is lost
		if !finished {
			go q.write()
		}
	}()
	for {
		q.mu.Lock()
		if n := q.dropped; n > 0 {
			q.dropped = 0
			q.lines = append(q.lines, func() { q.reportDropped(n) })
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

// flush waits until the lines are written, but no longer than logWait.
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
