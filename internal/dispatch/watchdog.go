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

// watched are the inline calls under way whose registry has a watchdog.
var watched = struct {
	sync.Mutex
	calls map[*watching]struct{}
}{calls: map[*watching]struct{}{}}

type watching struct {
	call  callbacks.Underway
	group *Group
}

// waitingOf returns the calls that are under way, the oldest first: those of one group but
// for lost functions, or all.
func waitingOf(g *Group) []callbacks.Underway {
	list := []callbacks.Underway{}
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
	slices.SortFunc(list, func(a, b callbacks.Underway) int { return a.Since.Compare(b.Since) })
	return list
}

// underway appends the pool's calls of a group.
func (p *pool) underway(list []callbacks.Underway, g *Group) []callbacks.Underway {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := p.calls.next; c != &p.calls; c = c.next {
		lost := c.state == taskLost
		if g != nil && (lost || c.run.taps() != g) {
			continue
		}
		list = append(list, callbacks.Underway{
			Callback: c.slot.name, Registry: c.slot.registry, Device: c.device, RunID: c.runID,
			Dispatch: c.slot.dispatch, Since: c.began, Running: c.state != taskWaiting, Lost: lost,
		})
	}
	return list
}

// watch makes an inline call one of those under way, until it is told that it is over.
// Without a watchdog it is none.
func (s *Slot) watch(f *Call) (over func()) {
	limit := s.engine.options.Watch
	if limit == 0 {
		return func() {}
	}
	w := &watching{group: f.run.taps(), call: callbacks.Underway{
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
	for _, c := range waitingOf(nil) {
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
