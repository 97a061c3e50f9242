package dispatch

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// watched are the inline calls in flight whose registry has a watchdog.
var watched = struct {
	sync.Mutex
	calls map[*watching]struct{}
}{calls: map[*watching]struct{}{}}

type watching struct {
	call  callbacks.InFlightCall
	group *Group
}

// inFlight returns the calls in flight, the oldest first. With a group it returns those of
// the group without lost functions, and otherwise all.
func inFlight(g *Group) []callbacks.InFlightCall {
	list := []callbacks.InFlightCall{}
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
		list = p.inFlight(list, g)
	}
	slices.SortFunc(list, func(a, b callbacks.InFlightCall) int { return a.Since.Compare(b.Since) })
	return list
}

// inFlight appends the pool's calls of a group.
func (p *pool) inFlight(list []callbacks.InFlightCall, g *Group) []callbacks.InFlightCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := p.calls.next; c != &p.calls; c = c.next {
		lost := c.state == taskLost
		if g != nil && (lost || c.run.taps() != g) {
			continue
		}
		list = append(list, callbacks.InFlightCall{
			Callback: c.slot.name, Registry: c.slot.registry, Device: c.device, RunID: c.runID,
			Dispatch: c.slot.dispatch, Since: c.began, Running: c.state != taskWaiting, Lost: lost,
		})
	}
	return list
}

// watch lists an inline call as in flight until over is called. Without a watchdog it does
// nothing.
func (s *Slot) watch(f *Call) (over func()) {
	limit := s.engine.options.Watch
	if limit == 0 {
		return func() {}
	}
	w := &watching{group: f.run.taps(), call: callbacks.InFlightCall{
		Callback: s.name, Registry: s.registry, Device: f.Device, RunID: f.RunID, Dispatch: s.dispatch,
		Since: time.Now(), Running: true,
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

// dumps limits how often the watchdog reports when many calls are slow.
type dumps struct{ last atomic.Int64 }

// dump logs the calls in flight.
func (e *engine) dump() {
	now := time.Now().UnixNano()
	last := e.dumps.last.Load()
	if last != 0 && now-last < int64(e.options.Watch) || !e.dumps.last.CompareAndSwap(last, now) {
		return
	}
	var lines []string
	for _, c := range inFlight(nil) {
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
			// There is no caller to report an error to.
			_, _ = fmt.Fprintf(to, "%s\n\n%s\n", waiting, stack)
		})
	}
}

// stacks returns the stacks of all goroutines.
func stacks() []byte {
	for size := 1 << 16; ; size *= 2 {
		text := make([]byte, size)
		if n := runtime.Stack(text, true); n < size || size >= 1<<26 {
			return text[:n]
		}
	}
}
