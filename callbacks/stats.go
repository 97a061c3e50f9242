package callbacks

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Stat is what became of the calls of one callback: Fired is Delivered, Dropped,
// Failed and Underway together.
type Stat struct {
	Callback string // the name, or "id N"
	Registry string

	Fired     int64 // calls that compiled code made
	Delivered int64 // calls whose function returned without an error
	Dropped   int64 // calls not made: nobody bound, not their turn, or another device had failed
	Failed    int64 // calls that ended with an error
	Underway  int64 // calls in a queue or on a goroutine; inline ones only when measured

	Queued int64 // of those under way, calls that wait in a queue or for a worker
	Lost   int64 // functions that have not returned though their calls were given up

	Latency Latency // with Options.Measure
}

// Latency is how long measured calls took, the time in a queue included.
type Latency struct {
	Count      int64
	Total, Max time.Duration
}

// counts are those of a slot. It stands at the end of a Slot, away from what is only
// read.
type counts struct {
	_                                    [64]byte
	delivered, dropped, failed, underway atomic.Int64
	queued, lost                         atomic.Int64

	lanes [Lanes]laneCount

	timed       bool
	measured    atomic.Int64
	nanoseconds atomic.Int64
	longest     atomic.Int64
	_           [64]byte
}

// queued counts n more calls that wait in a queue or for a worker.
func (s *Slot) queued(n int64) {
	s.counts.queued.Add(n)
	s.engine.queued.Add(n)
}

// Lanes is how many frames a runtime may keep for a slot, so that calls at once need not
// make one.
const Lanes = 8

// laneCount is twice the delivered calls that had the claim of a lane, and one more while
// a call has it. Each is on cache lines of its own.
type laneCount struct {
	atomic.Int64
	_ [120]byte
}

// begin counts a call as under way.
func (c *counts) begin() (started time.Time) {
	c.underway.Add(1)
	if c.timed {
		started = time.Now()
	}
	return started
}

func (c *counts) end(started time.Time) {
	c.underway.Add(-1)
	if !c.timed {
		return
	}
	n := int64(time.Since(started))
	c.measured.Add(1)
	c.nanoseconds.Add(n)
	for {
		old := c.longest.Load()
		if n <= old || c.longest.CompareAndSwap(old, n) {
			return
		}
	}
}

// Claim gives one of the Lanes to one call at a time, and is false while another has it.
// A runtime that keeps a frame for each lane of a slot asks before it uses that; see
// Frame.SetClaimed. Release ends it. They count a call on the way, which saves inline
// calls a locked instruction.
func (s *Slot) Claim(lane int) bool {
	c := &s.counts.lanes[lane]
	n := c.Load()
	return n&1 == 0 && c.CompareAndSwap(n, n+1)
}

// Release ends what Claim began, for the frame of the lane.
func (s *Slot) Release(lane int, f *Frame) {
	change := int64(-1)
	if f.delivered {
		f.delivered = false
		change = 1
	}
	s.counts.lanes[lane].Add(change)
}

// SetClaimed says that the frame is one of a lane, and used by calls that have its claim
// alone.
func (f *Frame) SetClaimed() { f.claimed = true }

// addTo adds the counts to a Stat.
func (c *counts) addTo(s *Stat) {
	s.Delivered += c.delivered.Load()
	for i := range c.lanes {
		s.Delivered += c.lanes[i].Load() >> 1
	}
	s.Dropped += c.dropped.Load()
	s.Failed += c.failed.Load()
	s.Underway += c.underway.Load()
	s.Queued += c.queued.Load()
	s.Lost += c.lost.Load()
	s.Fired = s.Delivered + s.Dropped + s.Failed + s.Underway
	s.Latency.Count += c.measured.Load()
	s.Latency.Total += time.Duration(c.nanoseconds.Load())
	s.Latency.Max = max(s.Latency.Max, time.Duration(c.longest.Load()))
}

// tallies are the counts of a registry by callback. Those of a call site that is gone
// stay in the sum.
type tallies struct {
	mu     sync.Mutex
	byName map[string]*tally
}

type tally struct {
	past  Stat           // of call sites that are gone
	slots map[*Slot]bool // true where it is closed, and calls in a queue may still count
}

func (r *Registry) tally(s *Slot) {
	t := &r.tallies
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName == nil {
		t.byName = map[string]*tally{}
	}
	one := t.byName[s.name]
	if one == nil {
		one = &tally{slots: map[*Slot]bool{}}
		t.byName[s.name] = one
	}
	one.slots[s] = false
}

// Close says that the call site is gone. Its counts stay in those of the registry.
func (s *Slot) Close() {
	t := &s.home.tallies
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.byName[s.name]
	if one == nil {
		return // of Probe
	}
	if _, known := one.slots[s]; known {
		one.slots[s] = true
	}
	one.sweep()
}

// sweep forgets the call sites that are gone. The caller holds the lock.
func (t *tally) sweep() {
	for s, closed := range t.slots {
		if closed && s.counts.underway.Load() == 0 && s.counts.lost.Load() == 0 {
			delete(t.slots, s)
			s.counts.addTo(&t.past)
		}
	}
}

// Stats is what became of the calls of each callback that a module was bound to, by
// name. The numbers of one callback are read one after the other while calls go on.
func (r *Registry) Stats() []Stat {
	t := &r.tallies
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Stat, 0, len(t.byName))
	for name, one := range t.byName {
		one.sweep()
		stat := one.past
		stat.Callback, stat.Registry = name, r.name
		for s := range one.slots {
			s.counts.addTo(&stat)
		}
		list = append(list, stat)
	}
	slices.SortFunc(list, func(a, b Stat) int { return cmp.Compare(a.Callback, b.Callback) })
	return list
}

// Stats is that of every registry that modules can reach.
func Stats() []Stat {
	registries.RLock()
	defer registries.RUnlock()
	var list []Stat
	for _, r := range registries.byName {
		list = append(list, r.Stats()...)
	}
	slices.SortFunc(list, func(a, b Stat) int {
		return cmp.Or(cmp.Compare(a.Registry, b.Registry), cmp.Compare(a.Callback, b.Callback))
	})
	return list
}

// QueueState is what the calls of a registry that do not run on the runtime's threads
// take.
type QueueState struct {
	Registry    string
	Queued      int // calls that wait in a queue or for a worker
	QueuedBytes int // what Async calls hold in copies; RegistryOptions.QueueBytes is the limit
	Running     int // functions on workers
	Lost        int // functions that have not returned though their calls were given up
}

// QueueState is the state of the registry's queues and workers.
func (r *Registry) QueueState() QueueState {
	return r.running().state()
}

// QueueStates is that of every registry that modules can reach and that has called a
// function on a worker.
func QueueStates() []QueueState {
	registries.RLock()
	defer registries.RUnlock()
	var list []QueueState
	for _, r := range registries.byName {
		if e := r.engine.Load(); e != nil && e.pool.used() {
			list = append(list, e.state())
		}
	}
	slices.SortFunc(list, func(a, b QueueState) int { return cmp.Compare(a.Registry, b.Registry) })
	return list
}

func (e *engine) state() QueueState {
	q := QueueState{Registry: e.registry, Queued: int(e.queued.Load())}
	e.queue.mu.Lock()
	q.QueuedBytes = e.queue.used
	e.queue.mu.Unlock()
	e.pool.mu.Lock()
	q.Running, q.Lost = e.pool.running, e.pool.lost
	e.pool.mu.Unlock()
	return q
}
