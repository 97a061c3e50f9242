package dispatch

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// worker is a goroutine that makes calls one after the other. After a call it spins for a
// while for the next one, then it sleeps. After a long sleep it is dismissed.
type worker struct {
	pool      *pool
	job       atomic.Pointer[task]
	dismissed atomic.Bool
	asleep    atomic.Bool
	wake      chan struct{}
	making    *task         // nil between calls
	spinLimit time.Duration // how long it spins
}

// workerSleep is the minimum time that a worker without work is kept. The maximum is twice
// that.
const workerSleep = 5 * time.Second

// hand gives the call to w, or to a new worker if w is nil.
func (p *pool) hand(c *task, w *worker) maker {
	if w == nil {
		w = &worker{pool: p, wake: make(chan struct{}, 1)}
		w.job.Store(c)
		go w.serve()
		return makerAsleep
	}
	w.job.Store(c)
	if w.rouse() {
		return makerAsleep
	}
	return makerAwake
}

// let lets a worker run that was woken by a thread of the runtime, which continues in C.
// Otherwise Go would leave the processor with that thread until it notices that the thread
// does not return, which takes from 20 microseconds to 10 milliseconds.
func (m maker) let() {
	if m == makerAsleep {
		runtime.Gosched()
	}
}

// rouse wakes the worker, and reports whether it was asleep.
func (w *worker) rouse() bool {
	if !w.asleep.CompareAndSwap(true, false) {
		return false
	}
	w.wake <- struct{}{}
	return true
}

func (w *worker) serve() {
	defer w.ended() // a function may end the goroutine
	for w.look() {
		c := w.job.Swap(nil)
		if c == nil { // a late wake for an earlier call
			continue
		}
		w.making = c
		w.spinLimit = spinTime + copyTime(c.bytes)
		err := c.perform()
		w.making = nil
		c.returned(err, w)
	}
}

// look waits for a call, and reports false if the worker is dismissed.
func (w *worker) look() bool {
	done := func() bool { return w.job.Load() != nil || w.dismissed.Load() }
	most := int(processors.Load())
	if most == 1 {
		most = 0
	}
	if !workingSpinners.spin(most, w.spinLimit, done) {
		countProcessors()
		w.asleep.Store(true)
		if !done() || !w.asleep.CompareAndSwap(true, false) {
			<-w.wake
		}
	}
	return !w.dismissed.Load()
}

// rouse wakes the sleeping worker that gets the next call, so that it wakes up while the
// caller copies a lot of data.
func (p *pool) rouse() {
	p.mu.Lock()
	var w *worker
	if n := len(p.idle); n > 0 {
		w = p.idle[n-1]
	}
	p.mu.Unlock()
	if w != nil {
		w.rouse()
	}
}

// addIdle adds w to the idle workers. The caller holds the lock.
func (p *pool) addIdle(w *worker) {
	p.idle = append(p.idle, w)
	if !p.tidying {
		p.tidying, p.unused = true, 0
		time.AfterFunc(workerSleep, p.tidy)
	}
}

// tidy dismisses the workers that had no call since it was last called.
func (p *pool) tidy() {
	p.mu.Lock()
	unused := slices.Clone(p.idle[:p.unused])
	p.idle = slices.Delete(p.idle, 0, p.unused)
	p.unused = len(p.idle)
	if p.tidying = len(p.idle) > 0 || p.calls.next != &p.calls; p.tidying {
		time.AfterFunc(workerSleep, p.tidy)
	}
	p.mu.Unlock()
	for _, w := range unused {
		w.dismissed.Store(true)
		w.rouse()
	}
}

// ended is called at the end of the goroutine.
func (w *worker) ended() {
	if c := w.making; c != nil { // its function called runtime.Goexit
		c.returned(&callbacks.GoexitError{}, nil)
	}
}
