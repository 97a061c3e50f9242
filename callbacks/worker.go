package callbacks

import (
	"slices"
	"sync/atomic"
	"time"
)

// worker is a goroutine that makes calls one after the other. After a call it looks out
// for the next for a while, then it sleeps, and after a long sleep it ends.
type worker struct {
	pool   *pool
	job    atomic.Pointer[call]
	asleep atomic.Bool
	wake   chan struct{}
	making *call // nil between calls
}

// workerSleep is how long a worker stays without work.
const workerSleep = 10 * time.Second

// hand gives the call to w, or to a new worker where w is nil, and reports whether that
// is awake.
func (p *pool) hand(c *call, w *worker) (awake bool) {
	if w == nil {
		w = &worker{pool: p, wake: make(chan struct{}, 1)}
		w.job.Store(c)
		go w.serve()
		return false
	}
	w.job.Store(c)
	if w.asleep.CompareAndSwap(true, false) {
		w.wake <- struct{}{}
		return false
	}
	return true
}

func (w *worker) serve() {
	defer w.ended() // a function may end the goroutine
	for w.look() {
		c := w.job.Swap(nil)
		if c == nil { // woken for an earlier call, by who was slow to tell
			continue
		}
		w.making = c
		err := c.perform()
		w.making = nil
		c.returned(err, w)
	}
}

// look waits for a call, and reports false where none comes for long.
func (w *worker) look() bool {
	seen := func() bool { return w.job.Load() != nil }
	if lookOut(seen) {
		return true
	}
	w.asleep.Store(true)
	if seen() && w.asleep.CompareAndSwap(true, false) {
		return true
	}
	sleep := time.NewTimer(workerSleep)
	defer sleep.Stop()
	select {
	case <-w.wake:
		return true
	case <-sleep.C:
	}
	if w.pool.dismiss(w) {
		return false
	}
	<-w.wake // somebody has just taken it and is about to tell
	return true
}

// dismiss takes w from the idle workers, and reports false where it is none of them any
// more.
func (p *pool) dismiss(w *worker) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.idle, w)
	if i < 0 {
		return false
	}
	p.idle = slices.Delete(p.idle, i, i+1)
	return true
}

// ended is the end of the goroutine.
func (w *worker) ended() {
	if c := w.making; c != nil { // its function called runtime.Goexit
		c.returned(&GoexitError{Callback: c.frame.Name}, nil)
	}
}
