package dispatch

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// pool holds the workers of a registry and their calls.
type pool struct {
	registry  string
	limit     int // functions that may run at once
	lostLimit int // functions that may be lost at once

	mu      sync.Mutex
	running int       // calls that hold one of the limit places
	lost    int       // functions that have not returned after their calls were stopped
	waiting []*task   // calls that wait for a place, the oldest first
	idle    []*worker // the most recently used last
	calls   task      // head of a circular list of the calls in flight and the lost ones
	unused  int       // number of workers at the start of idle that had no call for a while
	tidying bool      // tidy is scheduled
	listed  bool      // is in pools
	retired bool      // no further call site will be bound to it

	// reporting counts the workers that report the end of a call to a runtime and are free
	// afterwards.
	reporting atomic.Int32
	rescue    *time.Timer
	rescuing  bool

	// timer fires at the deadline of a call that no thread waits for.
	timer   *time.Timer
	timerAt time.Time // zero if it is not set
}

// pools holds the pools that have a call in flight, and those that had one and may get
// another.
var pools = struct {
	sync.Mutex
	all map[*pool]struct{}
}{all: map[*pool]struct{}{}}

func newPool(registry string, limit, lostLimit int) *pool {
	p := &pool{registry: registry, limit: limit, lostLimit: lostLimit}
	p.calls.prev, p.calls.next = &p.calls, &p.calls
	return p
}

// list adds the pool to those of the process or removes it. The caller holds the lock.
func (p *pool) list(listed bool) {
	pools.Lock()
	defer pools.Unlock()
	if p.listed = listed; listed {
		pools.all[p] = struct{}{}
	} else {
		delete(pools.all, p)
	}
}

// used reports whether the pool has had a call.
func (p *pool) used() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.listed
}

// retire records that no further call site will be bound to the pool.
func (p *pool) retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retired = true
	p.unlistIdle()
}

// unlistIdle removes a retired pool without a call from those of the process. The caller
// holds the lock.
func (p *pool) unlistIdle() {
	if p.retired && p.calls.next == &p.calls {
		p.list(false)
	}
}

// maker says which worker makes a submitted call.
type maker uint8

const (
	makerLater  maker = iota // the next free worker
	makerAwake               // a worker that is awake
	makerAsleep              // a worker that had to be woken
)

// submit schedules the call. If w is not nil, it is a free worker that is not among the
// idle ones, and makes the call. A call of a nested run needs no place, because the outer
// call may hold the last one. After submit the caller must not use the call, unless the
// call is awaited or submit returns an error. With an error w is as before.
func (p *pool) submit(c *task, w *worker) (who maker, err error) {
	p.mu.Lock()
	if !c.awaited {
		err = c.parent.Err() // if the run's context ends later, cancel finds the call
	}
	if err == nil && p.lost >= p.lostLimit {
		err = p.tooManyLost()
	}
	if err != nil {
		p.mu.Unlock()
		return makerLater, err
	}
	if !p.listed {
		p.list(true)
	}
	c.prev, c.next = p.calls.prev, &p.calls
	c.prev.next, p.calls.prev = c, c
	if !c.awaited {
		p.setTimer(c.at)
	}
	if c.nested || p.running < p.limit && (w == nil || len(p.waiting) == 0) && !p.soonFree(c) {
		p.start(c)
		if w == nil {
			w = p.free()
		}
		p.mu.Unlock()
		return p.hand(c, w), nil
	}
	c.state = taskWaiting
	c.slot.queued(1)
	p.waiting = append(p.waiting, c)
	// The waiting calls are older, and w need not wait for its turn.
	next := p.turnOf(w)
	p.mu.Unlock()
	p.handTurn(next, w)
	return makerLater, nil
}

// wakeAfter is how long a call waits for a worker that is free soon.
const wakeAfter = 50 * time.Microsecond

// soonFree reports whether the call should wait for a worker that is reporting the end of
// another call to a runtime, instead of waking a worker. The runtime may be calling from
// that report. If the worker is not free within wakeAfter, another one is woken. The caller
// holds the lock.
func (p *pool) soonFree(c *task) bool {
	if c.awaited || c.lane != nil || p.reporting.Load() == 0 {
		return false
	}
	if n := len(p.idle); n > 0 && !p.idle[n-1].asleep.Load() {
		return false
	}
	if !p.rescuing {
		p.rescuing = true
		if p.rescue == nil {
			p.rescue = time.AfterFunc(wakeAfter, func() {
				p.mu.Lock()
				p.rescuing = false
				p.mu.Unlock()
				p.fill()
			})
		} else {
			p.rescue.Reset(wakeAfter)
		}
	}
	return true
}

// start gives the call a place. The caller holds the lock.
func (p *pool) start(c *task) {
	c.state = taskRunning
	c.placed = !c.nested
	if c.placed {
		p.running++
	}
}

// free removes and returns an idle worker, or nil if there is none. The caller holds the
// lock.
func (p *pool) free() *worker {
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	w := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	p.unused = min(p.unused, n-1)
	return w
}

// next gives a place to the call that has waited longest, and returns it, or nil if there
// is none. The caller holds the lock.
func (p *pool) next() *task {
	if len(p.waiting) == 0 || p.running >= p.limit {
		return nil
	}
	c := p.waiting[0]
	p.waiting[0] = nil
	p.waiting = p.waiting[1:]
	c.slot.queued(-1)
	p.start(c)
	return c
}

// fill gives the free places to waiting calls.
func (p *pool) fill() {
	for {
		p.mu.Lock()
		c := p.next()
		var w *worker
		if c != nil {
			w = p.free()
		}
		p.mu.Unlock()
		if c == nil {
			return
		}
		p.hand(c, w)
	}
}

// end records that the call's function has returned. It reports false if the call was
// stopped before. Afterwards w, if not nil, has the next call or is free. If w is nil, the
// place of the call is free, and fill or rest gives it away.
func (p *pool) end(c *task, w *worker) (won bool) {
	p.mu.Lock()
	if won = c.state == taskRunning; won {
		c.state = taskOver
		if c.placed {
			p.running--
		}
	} else {
		p.lost--
		c.slot.counts.lost.Add(-1)
	}
	p.remove(c)
	next := p.turnOf(w)
	p.mu.Unlock()
	p.handTurn(next, w)
	return won
}

// rest makes w, which has no call, free for the next one.
func (p *pool) rest(w *worker) {
	p.mu.Lock()
	next := p.turnOf(w)
	p.mu.Unlock()
	p.handTurn(next, w)
}

// turnOf returns the call that w makes next, for handTurn. If it is nil, w becomes idle. It
// returns nil if w is nil. The caller holds the lock.
func (p *pool) turnOf(w *worker) *task {
	if w == nil {
		return nil
	}
	next := p.next()
	if next == nil {
		p.addIdle(w)
	}
	return next
}

// handTurn gives w the call that turnOf returned. The caller does not hold the lock.
func (p *pool) handTurn(next *task, w *worker) {
	if next != nil {
		p.hand(next, w)
	}
}

// remove removes the call from the list. The caller holds the lock.
func (p *pool) remove(c *task) {
	c.prev.next, c.next.prev = c.next, c.prev
	c.prev, c.next = nil, nil
	p.unlistIdle()
}

// giveUp stops waiting for a call whose function has not returned; won is false if it has
// returned. If the function has begun, it is lost: its place goes to another call, and its
// results are ignored.
func (p *pool) giveUp(c *task) (begun, won bool) {
	p.mu.Lock()
	begun, won = p.abandon(c)
	p.mu.Unlock()
	p.fill()
	return begun, won
}

// abandon is giveUp for a caller that holds the lock and calls fill afterwards.
func (p *pool) abandon(c *task) (begun, won bool) {
	switch c.state {
	case taskWaiting:
		p.waiting = slices.DeleteFunc(p.waiting, func(other *task) bool { return other == c })
		c.slot.queued(-1)
		c.state = taskOver
		p.remove(c)
		return false, true
	case taskRunning:
		c.state = taskLost
		if c.placed {
			p.running--
		}
		p.lost++
		c.slot.counts.lost.Add(1)
		return true, true
	}
	return false, false
}

// setTimer makes the timer fire at a time, if it does not fire earlier. The caller holds
// the lock.
func (p *pool) setTimer(at time.Time) {
	if at.IsZero() || !p.timerAt.IsZero() && !at.Before(p.timerAt) {
		return
	}
	p.timerAt = at
	if p.timer == nil {
		p.timer = time.AfterFunc(time.Until(at), p.expire)
	} else {
		p.timer.Reset(time.Until(at))
	}
}

// expire gives up the calls that no thread waits for and whose deadline has passed.
func (p *pool) expire() {
	now := time.Now()
	p.mu.Lock()
	p.timerAt = time.Time{}
	var earliest time.Time
	list := p.abandonAll(func(c *task) bool {
		if !c.at.IsZero() && !now.Before(c.at) {
			return true
		}
		if !c.at.IsZero() && (earliest.IsZero() || c.at.Before(earliest)) {
			earliest = c.at
		}
		return false
	})
	p.setTimer(earliest)
	p.mu.Unlock()
	p.settle(list, (*terms).timedOut)
}

// cancel gives up the calls of a run that no thread waits for, except async calls, which
// may outlive the run.
func (p *pool) cancel(r *Run) {
	p.mu.Lock()
	list := p.abandonAll(func(c *task) bool { return c.run == r && c.lane == nil })
	p.mu.Unlock()
	p.settle(list, func(*terms, bool) error { return r.ctx.Err() })
}

// abandoned is a call that was given up. If it had begun, only the worker may use the task.
type abandoned struct {
	call  *task
	terms *terms
	begun bool
}

// abandonAll gives up those of the calls that no thread waits for. The caller holds the
// lock, and calls settle afterwards.
func (p *pool) abandonAll(which func(*task) bool) []abandoned {
	var list []abandoned
	for c := p.calls.next; c != &p.calls; {
		next := c.next // abandon may remove c from the list
		if !c.awaited && (c.state == taskRunning || c.state == taskWaiting) && which(c) {
			begun, _ := p.abandon(c)
			t := c.terms
			list = append(list, abandoned{c, &t, begun})
		}
		c = next
	}
	return list
}

// settle reports the errors of calls that were given up. Each report has a goroutine of its
// own: the runtime may continue the run in it, and wait there for another of the calls.
func (p *pool) settle(list []abandoned, why func(t *terms, begun bool) error) {
	p.fill()
	for _, c := range list {
		err := why(c.terms, c.begun)
		if !c.begun {
			c.call.recycle()
			err = expired{err}
		}
		go c.terms.over(err, nil)
	}
}

// tooManyLost returns an error if the limit of lost functions is reached. The caller holds
// the lock.
func (p *pool) tooManyLost() error {
	e := &callbacks.LostError{Registry: p.registry, Limit: p.lostLimit, Callbacks: map[string]int{}}
	for c := p.calls.next; c != &p.calls; c = c.next {
		if c.state == taskLost {
			e.Callbacks[c.slot.name]++
		}
	}
	return e
}
