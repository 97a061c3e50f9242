package dispatch

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// counts are the counters of a call site, away from the fields of its Slot that are only read.
type counts struct {
	_                                    [64]byte
	delivered, dropped, failed, inFlight atomic.Int64
	expired                              atomic.Int64
	queued, lost                         atomic.Int64

	lanes [Lanes]laneCount

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

// Lanes is the number of frames that a runtime may keep for a slot, so that concurrent
// calls need not allocate one.
const Lanes = 8

// laneCount is twice the number of delivered calls that held the lane, plus one while a
// call holds it. Each is on its own cache lines.
type laneCount struct {
	atomic.Int64
	_ [120]byte
}

// begin counts a call as in flight. The result, for end, is zero unless the call is measured.
func (c *counts) begin(measure bool) (started time.Time) {
	c.inFlight.Add(1)
	if measure {
		started = time.Now()
	}
	return started
}

func (c *counts) end(started time.Time) {
	c.inFlight.Add(-1)
	if started.IsZero() {
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

// Lane assigns one of the Lanes to a call. It returns -1 if other calls hold the lanes that
// it tries. Concurrent calls with different hints mostly try different lanes first. Do
// releases the lane. The lane also counts its call, which saves inline calls a locked
// instruction.
func (s *Slot) Lane(hint int) int {
	for range 3 {
		hint &= Lanes - 1
		c := &s.counts.lanes[hint]
		if n := c.Load(); n&1 == 0 && c.CompareAndSwap(n, n+1) {
			return hint
		}
		hint++
	}
	return -1
}

// release releases the lane of a call.
func (s *Slot) release(c *Call) {
	change := int64(-1)
	if c.delivered {
		c.delivered = false
		change = 1
	}
	s.counts.lanes[c.lane].Add(change)
}

// addTo adds the counters to a Stat.
func (c *counts) addTo(s *callbacks.Stat) {
	s.Delivered += c.delivered.Load()
	for i := range c.lanes {
		s.Delivered += c.lanes[i].Load() >> 1
	}
	s.Dropped += c.dropped.Load()
	s.Failed += c.failed.Load()
	s.Expired += c.expired.Load()
	s.InFlight += c.inFlight.Load()
	s.Queued += c.queued.Load()
	s.Lost += c.lost.Load()
	s.Fired = s.Delivered + s.Dropped + s.Failed + s.Expired + s.InFlight
	s.Latency.Count += c.measured.Load()
	s.Latency.Total += time.Duration(c.nanoseconds.Load())
	s.Latency.Max = max(s.Latency.Max, time.Duration(c.longest.Load()))
}

// tallies are the counters of a registry by callback. The counters of closed call sites
// stay in the sum until the callback is unregistered.
type tallies struct {
	mu     sync.Mutex
	byName map[string]*tally
	late   map[string]*tally // those with closed call sites whose calls have not ended
}

type tally struct {
	past  callbacks.Stat   // sum over removed call sites
	sites map[*counts]bool // true if it is closed; queued calls may still count
	gone  bool             // the callback is not registered
}

// tally counts the calls of a new call site.
func (h *host) tally(s *Slot) {
	t := &h.tallies
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	if t.byName == nil {
		t.byName, t.late = map[string]*tally{}, map[string]*tally{}
	}
	one := t.byName[s.name]
	if one == nil {
		one = &tally{sites: map[*counts]bool{}}
		t.byName[s.name] = one
	}
	one.sites[s.counts] = false
	one.gone = s.fn == nil || s.fn.Load() == nil
}

// Close removes the call site. Its counters stay in those of the registry.
func (s *Slot) Close() {
	t := &s.host.tallies
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.byName[s.name]
	if one == nil {
		return // of Probe
	}
	if _, known := one.sites[s.counts]; known {
		one.sites[s.counts] = true
		t.late[s.name] = one
	}
	t.sweep()
}

// forget ends the counters of a callback that was unregistered, once no call site has it.
func (h *host) forget(name string) { h.tallies.setGone(name, true) }

func (t *tallies) setGone(name string, gone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.byName[name]; one != nil {
		one.gone = gone
		t.late[name] = one
		t.sweep()
	}
}

// sweep removes closed call sites whose calls have ended, and the counters that have ended. The caller holds the lock.
func (t *tallies) sweep() {
	for name, one := range t.late {
		waits := false
		for c, closed := range one.sites {
			if !closed {
				continue
			}
			if c.inFlight.Load() == 0 && c.lost.Load() == 0 {
				delete(one.sites, c)
				c.addTo(&one.past)
			} else {
				waits = true
			}
		}
		if !waits {
			delete(t.late, name)
		}
		if one.gone && len(one.sites) == 0 {
			delete(t.byName, name)
		}
	}
}

// stats returns the counters of each callback, sorted by name.
func (h *host) stats() []callbacks.Stat {
	t := &h.tallies
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	list := make([]callbacks.Stat, 0, len(t.byName))
	for name, one := range t.byName {
		stat := one.past
		stat.Callback, stat.Registry = name, h.registry.Name()
		for c := range one.sites {
			c.addTo(&stat)
		}
		list = append(list, stat)
	}
	slices.SortFunc(list, func(a, b callbacks.Stat) int { return cmp.Compare(a.Callback, b.Callback) })
	return list
}
