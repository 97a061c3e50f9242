package dispatch

import (
	"context"
	"runtime/debug"
	"runtime/trace"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// task is a call that a worker makes, with the copies for its function. When the function
// has returned and the waiter has the results, a later call of the slot reuses it. While
// the function has not returned, nothing of it is reused, even if the call was given up.
type task struct {
	terms
	copies
	pool *pool

	// These are guarded by the pool's lock.
	state      taskState
	placed     bool // it holds a place
	prev, next *task

	// These notify the waiter that the worker is done.
	finished atomic.Bool
	asleep   atomic.Bool
	wake     chan struct{}
	err      error
}

// terms are the fields of a call besides its copies. The goroutine that gives a call up
// copies them, because the worker may finish with the call at any time.
type terms struct {
	slot     *Slot
	fn       callbacks.Func
	run      *Run
	origin   *Call           // the runtime's call; nil for an async call
	parent   context.Context // parent of the function's context
	device   int
	runID    int64
	nested   bool
	awaited  bool            // a thread waits
	done     func(error)     // if no thread waits and the call is not async
	lane     *lane           // for an async call
	size     int             // size of an async call in the queue
	limit    time.Duration   // 0 for none
	at       time.Time       // the deadline
	timed    *lazyContext    // context of the function, if there is a limit
	context  context.Context // context of the function
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

// wakeFrom is the number of bytes from which copying takes so long that a worker can wake
// up meanwhile.
const wakeFrom = 32 << 10

// awaiting counts the threads of runtimes that wait for a worker.
var awaiting atomic.Int32

// newTask makes a task of a call, with copies of the arrays in its frame.
func (s *Slot) newTask(call *Call, fn callbacks.Func, parent context.Context) *task {
	c := s.spares.take()
	if c == nil {
		c = &task{pool: s.engine.pool, wake: make(chan struct{}, 1)}
	}
	run := call.run
	c.terms = terms{
		slot: s, fn: fn, run: run, origin: call, parent: parent, device: call.Device, runID: call.RunID,
		nested: run.nested(), limit: s.limit(run), started: s.counts.begin(s.measure),
	}
	c.state = taskNew
	if c.bytes >= wakeFrom {
		c.pool.rouse()
	}
	c.copies.fill(s, call, run)
	return c
}

// recycle releases the task for later calls.
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

// submit schedules the call; see pool.submit. Its timeout starts now.
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

// end records that the call has ended.
func (t *terms) end() {
	if t.watchdog != nil {
		t.watchdog.Stop()
	}
	t.slot.counts.end(t.started)
}

// await schedules the call and waits for it until its deadline or the end of its run's
// context.
func (c *task) await() error {
	c.awaited = true
	waiting := int(awaiting.Add(1))
	defer awaiting.Add(-1)
	who, err := c.submit(nil)
	spare := int(processors.Load()) - 1 // one is for the worker
	if who != makerAwake && waiting > spare {
		spare = 0
	}
	if err == nil && !waitingSpinners.spin(spare, spinTime+copyTime(c.bytes)/4, c.finished.Load) {
		t := c.terms
		if err, up := c.sleep(); up {
			t.end()
			return t.slot.settle(t.origin, t.run, err)
		}
	}
	if err == nil {
		err = c.err
	}
	if err == nil {
		err = c.copies.give(c.origin)
	}
	c.end()
	err = c.slot.settle(c.origin, c.run, err)
	c.recycle()
	return err
}

// sleep waits until the worker has finished the call. If the call is given up before, sleep
// returns the error, and the caller must not use the call any more.
func (c *task) sleep() (err error, up bool) {
	var timeUp <-chan time.Time
	if c.limit > 0 {
		timer := time.NewTimer(time.Until(c.at))
		defer timer.Stop()
		timeUp = timer.C
	}
	ended := c.parent.Done()
	for c.fallAsleep() {
		// A wake may be for an earlier call whose worker reported late.
		select {
		case <-c.wake:
			continue
		case <-ended:
			err = c.parent.Err()
		case <-timeUp:
		}
		t := c.terms
		begun, won := c.pool.giveUp(c)
		if !won { // the worker is about to report
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
		if !begun {
			err = expired{err}
		}
		return err, true
	}
	return nil, false
}

// fallAsleep makes the worker wake the waiter. It reports false if the worker has finished.
func (c *task) fallAsleep() bool {
	c.asleep.Store(true)
	return !c.finished.Load() || !c.asleep.CompareAndSwap(true, false)
}

// timedOut returns the error of a call whose deadline has passed.
func (t *terms) timedOut(begun bool) error {
	e := &callbacks.TimeoutError{Limit: t.limit, Capped: t.limit != t.slot.timeout}
	if !begun {
		e.Waiting = "for a worker"
	}
	return e
}

// late returns the error of a call that has timed out or was cancelled, or nil.
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
		return expired{err}
	}
	if c.slot.engine.options.Profile || trace.IsEnabled() {
		defer c.slot.profile(&c.frame, context.Background())()
	}
	if c.away != nil {
		// A late use of another call's memory then panics in this call.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	}
	run := c.run
	defer run.leave(run.enter())
	err = protectFrame(c.fn, &c.frame)
	// The result of a function that returns after the end of its call is ignored, even if
	// it returns before the context has ended.
	if late := c.late(true); late != nil {
		return late
	}
	return err
}

// returned is called by the worker when the function has returned. w is nil if the worker
// has ended.
func (c *task) returned(err error, w *worker) {
	p := c.pool
	if c.awaited {
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
	if won && err == nil && c.origin != nil {
		err = c.copies.give(c.origin)
	}
	t := c.terms
	c.recycle()
	if w == nil || t.lane == nil {
		p.fill()
	}
	if won && t.lane == nil {
		// The runtime may continue the run during the report.
		p.reporting.Add(1)
		w = t.over(err, w)
		p.reporting.Add(-1)
	} else if won {
		w = t.over(err, w)
	}
	if w != nil {
		p.rest(w)
	}
}

// over reports the end of a call that no thread waits for. It returns w, or nil if w has
// another call.
func (t *terms) over(err error, w *worker) *worker {
	t.end()
	if t.lane != nil {
		t.slot.tapped(t, err)
		return t.lane.advance(w)
	}
	err = t.slot.settle(t.origin, t.run, err)
	t.done(t.slot.done(t.origin, err))
	return w
}
