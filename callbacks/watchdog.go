package callbacks

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Underway is a call that is under way.
type Underway struct {
	Callback string // the name, or "id N"
	Registry string
	Device   int
	RunID    int64
	Dispatch Dispatch
	Since    time.Time
	Running  bool // the function is running; otherwise the call waits for a worker
	Lost     bool // the function is running, and its call was given up
}

// String is the call in one line.
func (c Underway) String() string {
	doing := "running"
	switch {
	case c.Lost:
		doing = "lost, for its call was given up, and running"
	case !c.Running:
		doing = "waiting for a worker"
	}
	return fmt.Sprintf("callback %q on device %d in run %d (%v): %s for %v",
		c.Callback, c.Device, c.RunID, c.Dispatch, doing, time.Since(c.Since).Round(time.Millisecond))
}

// watched are the inline calls under way whose registry has a watchdog.
var watched = struct {
	sync.Mutex
	calls map[*watching]struct{}
}{calls: map[*watching]struct{}{}}

type watching struct {
	call  Underway
	group *Group
}

// Waiting is the calls that are under way, the oldest first. Inline calls are among
// them where their registry has a watchdog (RegistryOptions.Watch); those in a queue
// are not, but for the first of each device.
func Waiting() []Underway { return waitingOf(nil) }

// waitingOf is Waiting of one group, but for lost functions; nil is all.
func waitingOf(g *Group) []Underway {
	list := []Underway{}
	watched.Lock()
	for w := range watched.calls {
		if g == nil || w.group == g {
			list = append(list, w.call)
		}
	}
	watched.Unlock()
	pools.Lock()
	all := slices.Collect(maps.Keys(pools.all))
	pools.Unlock()
	for _, p := range all {
		list = p.underway(list, g)
	}
	slices.SortFunc(list, func(a, b Underway) int { return a.Since.Compare(b.Since) })
	return list
}

// underway appends the pool's calls of a group.
func (p *pool) underway(list []Underway, g *Group) []Underway {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := p.calls.next; c != &p.calls; c = c.next {
		lost := c.state == callLost
		if g != nil && (lost || c.run.taps() != g) {
			continue
		}
		list = append(list, Underway{
			Callback: c.slot.name, Registry: c.slot.registry, Device: c.device, RunID: c.runID,
			Dispatch: c.slot.dispatch, Since: c.began, Running: c.state != callWaiting, Lost: lost,
		})
	}
	return list
}

// watch makes an inline call one of those under way, until it is told that it is over.
// Without a watchdog it is none.
func (s *Slot) watch(f *Frame, run *Run) (over func()) {
	limit := s.engine.options.Watch
	if limit == 0 {
		return func() {}
	}
	w := &watching{group: run.taps(), call: Underway{
		Callback: s.name, Registry: s.registry, Device: f.Device, RunID: f.RunID, Dispatch: s.dispatch, Since: time.Now(), Running: true,
	}}
	watched.Lock()
	watched.calls[w] = struct{}{}
	watched.Unlock()
	timer := time.AfterFunc(limit, s.engine.dump)
	return func() {
		timer.Stop()
		watched.Lock()
		delete(watched.calls, w)
		watched.Unlock()
	}
}

// dumps keeps the watchdog from barking for each of many calls.
type dumps struct{ last atomic.Int64 }

// dump tells what is under way.
func (e *engine) dump() {
	now := time.Now().UnixNano()
	last := e.dumps.last.Load()
	if last != 0 && now-last < int64(e.options.Watch) || !e.dumps.last.CompareAndSwap(last, now) {
		return
	}
	var lines []string
	for _, c := range Waiting() {
		lines = append(lines, c.String())
	}
	waiting := strings.Join(lines, "\n")
	queues := e.state()
	var stack []byte
	to := e.options.WatchTo
	if to != nil {
		stack = stacks()
	}
	e.log.add(func() {
		e.logger().Warn("callbacks take longer than the watchdog allows", "limit", e.options.Watch, "waiting", waiting,
			"queued", queues.Queued, "queuedBytes", queues.QueuedBytes, "lost", queues.Lost)
	})
	if to != nil {
		e.log.add(func() {
			// What fails here has nobody to be told.
			_, _ = fmt.Fprintf(to, "%s\n\n%s\n", waiting, stack)
		})
	}
}

// stacks is that of every goroutine.
func stacks() []byte {
	for size := 1 << 16; ; size *= 2 {
		text := make([]byte, size)
		if n := runtime.Stack(text, true); n < size || size >= 1<<26 {
			return text[:n]
		}
	}
}
