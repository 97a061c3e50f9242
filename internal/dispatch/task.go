package dispatch

import (
	"context"
	"runtime/debug"
	"runtime/trace"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// call is a call that a worker makes, with the copies that its function gets. When the
// function has returned, and who waits has the results, a later call of the slot uses it
// again. While the function has not returned nothing of it is used, though the call was
// given up.
type task struct {
	terms
	copies
	pool *pool

	// Under the pool's lock:
	state      taskState
	placed     bool // it holds a place
	prev, next *task

	// How the worker tells who waits:
	finished atomic.Bool
	asleep   atomic.Bool
	wake     chan struct{}
	err      error
}

// terms are what a call is beside its copies. Who gives a call up takes them along,
// because the worker may be done with the call at any time.
type terms struct {
	slot     *Slot
	fn       callbacks.Func
	run      *Run
	home     *Call           // the runtime's; nil for an async call
	parent   context.Context // of the function's
	device   int
	runID    int64
	nested   bool
	attended bool            // somebody waits
	done     func(error)     // where nobody waits and the call is not async
	lane     *lane           // of an async call
	size     int             // what an async call takes of the queue
	limit    time.Duration   // 0 for none
	at       time.Time       // when it is reached
	timed    *lazyContext    // of the function, where there is a limit
	context  context.Context // of the function
	began    time.Time
	started  time.Time // see counts.begin
	watchdog *time.Timer
}

type taskState uint8

const (
	taskNew taskState = iota // not submitted
	taskWaiting
	taskRunning
	taskOver
	taskLost // given up while the function runs
)

// rouseFrom is the number of bytes that take so long to copy that a worker can wake up
// meanwhile.
const rouseFrom = 32 << 10

// attending is how many threads of runtimes wait for a worker.
var attending atomic.Int32

// newTask makes a task of a call, with copies of what its frame has.
func (s *Slot) newTask(call *Call, fn callbacks.Func, parent context.Context) *task {
	c := s.spares.take()
	if c == nil {
		c = &task{pool: s.engine.pool, wake: make(chan struct{}, 1)}
	}
	run := call.run
	c.terms = terms{
		slot: s, fn: fn, run: run, home: call, parent: parent, device: call.Device, runID: call.RunID,
		nested: run.nested(), limit: s.limit(run), started: s.counts.begin(),
	}
	c.state = taskNew
	if c.bytes >= rouseFrom {
		c.pool.rouse()
	}
	c.copies.fill(s, call, run)
	return c
}

// recycle gives the call away for later ones.
func (c *task) recycle() {
	s := c.slot
	if c.timed != nil {
		c.timed.cancel(nil)
	}
	c.terms, c.err = terms{}, nil
	c.finished.Store(false)
	c.asleep.Store(false)
	if c.copies.release() {
		s.spares.give(c)
	}
}

// submit has a worker make the call; see pool.submit. Its time begins now.
func (c *task) submit(w *worker) (maker, error) {
	c.began = time.Now()
	c.context = c.parent
	c.own.Context = &c.context
	if c.limit > 0 {
		c.at = c.began.Add(c.limit)
		c.timed = new(lazyContext)
		c.timed.begin(c.parent, nil, c.at)
		c.context = c.timed
	}
	if watch := c.slot.engine.options.Watch; watch > 0 {
		c.watchdog = time.AfterFunc(watch, c.slot.engine.dump)
	}
	return c.pool.submit(c, w)
}

// end says that the call is over.
func (t *terms) end() {
	if t.watchdog != nil {
		t.watchdog.Stop()
	}
	t.slot.counts.end(t.started)
}

// attend has the call made, and waits for it until its time is up or its run's context
// ends.
func (c *task) attend() error {
	c.attended = true
	waiting := int(attending.Add(1))
	defer attending.Add(-1)
	who, err := c.submit(nil)
	spare := int(processors.Load()) - 1 // for one is the worker's
	if who != makerAwake && waiting > spare {
		spare = 0
	}
	if err == nil && !waitingLookers.lookOut(spare, lookOutTime+copyTime(c.bytes)/4, c.finished.Load) {
		t := c.terms
		if err, up := c.sleep(); up {
			t.end()
			return t.slot.settle(t.home, t.run, err)
		}
	}
	if err == nil {
		err = c.err
	}
	if err == nil {
		err = c.copies.give(c.home)
	}
	c.end()
	err = c.slot.settle(c.home, c.run, err)
	c.recycle()
	return err
}

// sleep waits until the worker has finished the call. Where it is given up before, with
// the error, the call is no longer the caller's.
func (c *task) sleep() (err error, up bool) {
	var timeUp <-chan time.Time
	if c.limit > 0 {
		timer := time.NewTimer(time.Until(c.at))
		defer timer.Stop()
		timeUp = timer.C
	}
	ended := c.parent.Done()
	for c.fallAsleep() {
		// A wake may be for an earlier call, whose worker was slow to tell.
		select {
		case <-c.wake:
			continue
		case <-ended:
			err = c.parent.Err()
		case <-timeUp:
		}
		t := c.terms
		begun, won := c.pool.giveUp(c)
		if !won { // the worker is about to tell
			ended, timeUp = nil, nil
			<-c.wake
			continue
		}
		if !begun {
			c.recycle()
		}
		if err == nil {
			err = t.timedOut(begun)
		}
		return err, true
	}
	return nil, false
}

// fallAsleep has the worker wake who waits, and reports false where it has finished.
func (c *task) fallAsleep() bool {
	c.asleep.Store(true)
	return !c.finished.Load() || !c.asleep.CompareAndSwap(true, false)
}

// timedOut is the error of a call whose time is up.
func (t *terms) timedOut(begun bool) error {
	e := &callbacks.TimeoutError{Callback: t.slot.name, Limit: t.limit, Capped: t.limit != t.slot.timeout}
	if !begun {
		e.Waiting = "for a worker"
	}
	return e
}

// late is why the call has ended by itself, nil where it has not.
func (t *terms) late(begun bool) error {
	if err := t.parent.Err(); err != nil {
		return err
	}
	if t.limit > 0 && !time.Now().Before(t.at) {
		return t.timedOut(begun)
	}
	return nil
}

// perform calls the function.
func (c *task) perform() (err error) {
	if err := c.late(false); err != nil {
		return err
	}
	if c.slot.engine.options.Profile || trace.IsEnabled() {
		defer c.slot.profile(&c.frame, context.Background())()
	}
	if c.away != nil {
		// A late use of what another call had is then a panic of this one.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	}
	run := c.run
	defer run.leave(run.enter())
	err = protectFrame(c.fn, &c.frame)
	// What a function says when its call has ended is too late, also where it says so
	// before the context does.
	if late := c.late(true); late != nil {
		return late
	}
	return err
}

// returned is what the worker does when the function has returned; w is nil where the
// worker is no more.
func (c *task) returned(err error, w *worker) {
	p := c.pool
	if c.attended {
		won := p.end(c, w)
		if w == nil {
			p.fill()
		}
		if !won {
			c.recycle()
			return
		}
		c.err = err
		c.finished.Store(true)
		if c.asleep.CompareAndSwap(true, false) {
			c.wake <- struct{}{}
		}
		return
	}
	won := p.end(c, nil)
	if won && err == nil && c.home != nil {
		err = c.copies.give(c.home)
	}
	t := c.terms
	c.recycle()
	if w == nil || t.lane == nil {
		p.fill()
	}
	if won && t.lane == nil {
		// The runtime may go on with the run while it is told.
		p.telling.Add(1)
		w = t.over(err, w)
		p.telling.Add(-1)
	} else if won {
		w = t.over(err, w)
	}
	if w != nil {
		p.rest(w)
	}
}

// over tells what became of a call that nobody waits for. It gives w back, or nil where w
// has another call.
func (t *terms) over(err error, w *worker) *worker {
	t.end()
	if t.lane != nil {
		t.slot.tapped(t, err)
		return t.lane.advance(w)
	}
	err = t.slot.settle(t.home, t.run, err)
	t.done(t.slot.done(t.home, err))
	return w
}
