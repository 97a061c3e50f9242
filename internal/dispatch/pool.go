package dispatch

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// pool is the workers of a registry, and the calls that they make.
type pool struct {
	registry  string
	limit     int // functions that may run at once
	lostLimit int // functions that may be lost at once

	mu      sync.Mutex
	running int       // calls that hold a place
	lost    int       // functions whose call was given up and that have not returned
	waiting []*task   // for a place, the oldest first
	idle    []*worker // the one that worked last at the end
	calls   task      // the head of a ring: the calls under way, and the lost ones
	unused  int       // of the idle ones, those at the beginning that had no call for a while
	tidying bool      // tidy is to be called
	listed  bool      // in pools
	retired bool      // no call site will be bound to it any more

	// Workers that tell a runtime of a call, and are free when it has heard.
	telling  atomic.Int32
	rescue   *time.Timer
	rescuing bool

	// The alarm rings when the time of a call is up that nobody waits for.
	alarm   *time.Timer
	alarmAt time.Time // zero where it is not set
}

// pools are those with a call under way, and those that had one and may have another.
var pools = struct {
	sync.Mutex
	all map[*pool]struct{}
}{all: map[*pool]struct{}{}}

func newPool(registry string, limit, lostLimit int) *pool {
	p := &pool{registry: registry, limit: limit, lostLimit: lostLimit}
	p.calls.prev, p.calls.next = &p.calls, &p.calls
	return p
}

// list puts the pool among those of the process, or takes it from there. The caller holds
// the lock.
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

// retire says that no call site will be bound to the pool any more.
func (p *pool) retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retired = true
	p.unlistIdle()
}

// unlistIdle takes a retired pool without a call from those of the process. The caller
// holds the lock.
func (p *pool) unlistIdle() {
	if p.retired && p.calls.next == &p.calls {
		p.list(false)
	}
}

// maker is who makes a call that was submitted.
type maker uint8

const (
	makerLater  maker = iota // who is free next
	makerAwake               // a worker that is awake
	makerAsleep              // a worker that had to be woken
)

// submit has the call made, by w where it is not nil: a worker that is free and not among
// the idle ones. A call of a nested run needs no place, because the outer call may hold
// the last one. The call is no longer the caller's, unless it is attended or there is an
// error; with an error w is as before.
func (p *pool) submit(c *task, w *worker) (who maker, err error) {
	p.mu.Lock()
	if p.lost >= p.lostLimit {
		err := p.tooManyLost()
		p.mu.Unlock()
		return makerLater, err
	}
	if !p.listed {
		p.list(true)
	}
	c.prev, c.next = p.calls.prev, &p.calls
	c.prev.next, p.calls.prev = c, c
	if !c.attended {
		p.setAlarm(c.at)
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
	// The others have waited for longer, and w need not wait for its turn.
	next := p.turnOf(w)
	p.mu.Unlock()
	p.handTurn(next, w)
	return makerLater, nil
}

// rescueAfter is how long a call waits for a worker that is free soon.
const rescueAfter = 50 * time.Microsecond

// soonFree reports whether the call is better made by a worker that is telling a runtime of
// another one, and which that runtime may have called from, than by one that must be woken.
// If it is not free as soon as that, another one is woken. The caller holds the lock.
func (p *pool) soonFree(c *task) bool {
	if c.attended || c.lane != nil || p.telling.Load() == 0 {
		return false
	}
	if n := len(p.idle); n > 0 && !p.idle[n-1].asleep.Load() {
		return false
	}
	if !p.rescuing {
		p.rescuing = true
		if p.rescue == nil {
			p.rescue = time.AfterFunc(rescueAfter, func() {
				p.mu.Lock()
				p.rescuing = false
				p.mu.Unlock()
				p.fill()
			})
		} else {
			p.rescue.Reset(rescueAfter)
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

// free takes an idle worker, nil where there is none. The caller holds the lock.
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

// next gives a place to the call that has waited for one the longest; nil where there is
// none. The caller holds the lock.
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

// fill gives away the places that are free.
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

// end says that the call's function has returned, and reports false where the call was
// given up before. From then on w, if it is not nil, has the next call or is free; if it
// is nil, the place of the call is free, and fill or rest gives it away.
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

// turnOf is the call that w is to make next, for handTurn; where it is nil, w is idle. It
// is nil where w is. The caller holds the lock.
func (p *pool) turnOf(w *worker) *task {
	if w == nil {
		return nil
	}
	next := p.next()
	if next == nil {
		p.idler(w)
	}
	return next
}

// handTurn gives w what turnOf said. The caller does not hold the lock.
func (p *pool) handTurn(next *task, w *worker) {
	if next != nil {
		p.hand(next, w)
	}
}

// remove takes the call from the ring. The caller holds the lock.
func (p *pool) remove(c *task) {
	c.prev.next, c.next.prev = c.next, c.prev
	c.prev, c.next = nil, nil
	p.unlistIdle()
}

// giveUp ends a call whose function has not returned; won is false where it has. A
// function that has begun is lost: its place is another's, and what it does then reaches
// nobody.
func (p *pool) giveUp(c *task) (begun, won bool) {
	p.mu.Lock()
	begun, won = p.abandon(c)
	p.mu.Unlock()
	p.fill()
	return begun, won
}

// abandon is giveUp for who holds the lock, and calls fill then.
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

// setAlarm has the alarm ring at a time, if it does not ring earlier. The caller holds
// the lock.
func (p *pool) setAlarm(at time.Time) {
	if at.IsZero() || !p.alarmAt.IsZero() && !at.Before(p.alarmAt) {
		return
	}
	p.alarmAt = at
	if p.alarm == nil {
		p.alarm = time.AfterFunc(time.Until(at), p.ring)
	} else {
		p.alarm.Reset(time.Until(at))
	}
}

// ring gives up the calls that nobody waits for and whose time is up.
func (p *pool) ring() {
	now := time.Now()
	p.mu.Lock()
	p.alarmAt = time.Time{}
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
	p.setAlarm(earliest)
	p.mu.Unlock()
	p.settle(list, (*terms).timedOut)
}

// cancel gives up the calls of a run that nobody waits for, but the async ones, which
// may outlive it.
func (p *pool) cancel(r *Run) {
	p.mu.Lock()
	list := p.abandonAll(func(c *task) bool { return c.run == r && c.lane == nil })
	p.mu.Unlock()
	p.settle(list, func(*terms, bool) error { return r.ctx.Err() })
}

// abandoned is a call that was given up. Once it has begun it is the worker's alone.
type abandoned struct {
	call  *task
	terms *terms
	begun bool
}

// abandonAll gives up those of the calls that nobody waits for. The caller holds the
// lock, and calls settle then.
func (p *pool) abandonAll(which func(*task) bool) []abandoned {
	var list []abandoned
	for c := p.calls.next; c != &p.calls; {
		next := c.next // abandon may take c from the ring
		if !c.attended && (c.state == taskRunning || c.state == taskWaiting) && which(c) {
			begun, _ := p.abandon(c)
			t := c.terms
			list = append(list, abandoned{c, &t, begun})
		}
		c = next
	}
	return list
}

// settle tells what became of calls that were given up.
func (p *pool) settle(list []abandoned, why func(t *terms, begun bool) error) {
	p.fill()
	for _, c := range list {
		c.terms.over(why(c.terms, c.begun), nil)
		if !c.begun {
			c.call.recycle()
		}
	}
}

// tooManyLost is the error of a call where that is so. The caller holds the lock.
func (p *pool) tooManyLost() error {
	e := &callbacks.LostError{Registry: p.registry, Limit: p.lostLimit, Callbacks: map[string]int{}}
	for c := p.calls.next; c != &p.calls; c = c.next {
		if c.state == taskLost {
			e.Callbacks[c.slot.name]++
		}
	}
	return e
}
