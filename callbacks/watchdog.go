package callbacks

import (
	"fmt"
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
}

// String is the call in one line.
func (c Underway) String() string {
	doing := "running"
	if !c.Running {
		doing = "waiting for a worker"
	}
	return fmt.Sprintf("callback %q on device %d in run %d (%v): %s for %v",
		c.Callback, c.Device, c.RunID, c.Dispatch, doing, time.Since(c.Since).Round(time.Millisecond))
}

// watched are the calls under way.
var watched = struct {
	sync.Mutex
	calls map[*watching]struct{}
}{calls: map[*watching]struct{}{}}

type watching struct {
	call  Underway
	begun *atomic.Bool // nil where the function runs at once
	group *Group
}

// Waiting is the calls that are under way, the oldest first. Inline calls are among
// them where their registry has a watchdog (RegistryOptions.Watch); those in a queue
// are not, but for the first of each device.
func Waiting() []Underway { return waitingOf(nil) }

// waitingOf is Waiting of one group; nil is all.
func waitingOf(g *Group) []Underway {
	watched.Lock()
	defer watched.Unlock()
	list := []Underway{}
	for w := range watched.calls {
		if g != nil && w.group != g {
			continue
		}
		c := w.call
		c.Running = w.begun == nil || w.begun.Load()
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Underway) int { return a.Since.Compare(b.Since) })
	return list
}

// watch makes a call one of those under way, until it is told that it is over. An
// inline call without a watchdog is none.
func (s *Slot) watch(f *Frame, run *Run, begun *atomic.Bool) (over func()) {
	limit := s.engine.options.Watch
	if begun == nil && limit == 0 {
		return func() {}
	}
	w := &watching{begun: begun, group: run.taps(), call: Underway{
		Callback: s.name, Registry: s.registry, Device: f.Device, RunID: f.RunID, Dispatch: s.dispatch, Since: time.Now(),
	}}
	watched.Lock()
	watched.calls[w] = struct{}{}
	watched.Unlock()
	var timer *time.Timer
	if limit > 0 {
		timer = time.AfterFunc(limit, s.engine.dump)
	}
	return func() {
		if timer != nil {
			timer.Stop()
		}
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
	e.logger().Warn("callbacks take longer than the watchdog allows", "limit", e.options.Watch, "waiting", strings.Join(lines, "\n"))
	if to := e.options.WatchTo; to != nil {
		// What fails here has nobody to be told.
		_, _ = fmt.Fprintf(to, "%s\n\n%s\n", strings.Join(lines, "\n"), stacks())
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
