package dispatch

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
)

// A Group holds the runs of one client of a runtime. A barrier waits for them. It is safe
// for concurrent use.
type Group struct {
	options GroupOptions

	mu    sync.Mutex
	runs  Run                // head of a circular list
	lanes map[int]*lane      // by device
	taps  map[int]*tapErrors // by device
	tap   int                // number of errors of taps so far

	postponedMu sync.Mutex // taken before mu
	postponed   []*postponed
}

// GroupOptions describe a client of a runtime.
type GroupOptions struct {
	// Name is used in messages.
	Name string
	// Enter marks the calling thread as inside a call of a run of the group, until Leave is called
	// with the result. Meanwhile the goroutine is locked to its thread, unless the function
	// in the call unlocks it. Both may be nil.
	Enter func(r *Run) (entered any)
	Leave func(entered any)
	// Inside reports whether the calling thread is inside a call of the group. It may be
	// nil.
	Inside func() bool
}

// groups are the groups of the process.
var groups = struct {
	sync.Mutex
	all []*Group
}{}

// noGroup keeps the errors of taps whose run is not known.
var noGroup = NewGroup(GroupOptions{})

// NewGroup returns a new group. Close ends it.
func NewGroup(o GroupOptions) *Group {
	g := &Group{options: o, lanes: map[int]*lane{}, taps: map[int]*tapErrors{}}
	g.runs.prev, g.runs.next = &g.runs, &g.runs
	groups.Lock()
	defer groups.Unlock()
	groups.all = append(groups.all, g)
	return g
}

// Close removes the group from those that Barrier waits for. It does not wait.
func (g *Group) Close() {
	groups.Lock()
	defer groups.Unlock()
	groups.all = slices.DeleteFunc(groups.all, func(other *Group) bool { return other == g })
}

func (g *Group) add(r *Run) {
	g.mu.Lock()
	r.prev, r.next = g.runs.prev, &g.runs
	r.prev.next, g.runs.prev = r, r
	g.mu.Unlock()
}

// remove removes a run, and reports whether it was still in the list.
func (g *Group) remove(r *Run) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.over {
		return false
	}
	r.over = true
	r.prev.next, r.next.prev = r.next, r.prev
	r.prev, r.next = nil, nil
	if r.done != nil {
		close(r.done)
	}
	return true
}

// Runs returns the runs that have started and not ended, the oldest first.
func (g *Group) Runs() []*Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []*Run
	for r := g.runs.next; r != &g.runs; r = r.next {
		r.listed = true
		list = append(list, r)
	}
	return list
}

// InFlight is callbacks.InFlight for the calls of the group.
func (g *Group) InFlight() []callbacks.InFlightCall { return inFlight(g) }

// allDevices is the number of no device. In a barrier it means every device.
const allDevices = -1

// runsInFlight returns the channels to wait for until every run that has started on a
// device is done.
func (g *Group) runsInFlight(device int) []<-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []<-chan struct{}
	for r := g.runs.next; r != &g.runs; r = r.next {
		if !r.on(device) {
			continue
		}
		if r.done == nil {
			r.done = make(chan struct{})
		}
		list = append(list, r.done)
	}
	return list
}

// Barrier waits until every callback of every earlier run of the group is done, on all
// devices, including queued calls. It returns the errors of taps since the last barrier as
// a *TapErrors, or nil if there were none. If ctx ends first, it returns a *BarrierError that
// lists the calls in flight, and the errors of taps are kept for the next barrier. Inside a
// callback it returns ErrBarrierInside, because it would wait for itself.
func (g *Group) Barrier(ctx context.Context, name string) error {
	return g.barrier(ctx, allDevices, name)
}

// BarrierDevice is Barrier for the runs and the taps of one device. A run on several devices
// counts for each of them. The calls in flight that a *BarrierError lists are those of all
// devices.
func (g *Group) BarrierDevice(ctx context.Context, device int, name string) error {
	return g.barrier(ctx, device, name)
}

func (g *Group) barrier(ctx context.Context, device int, name string) error {
	if err := refuseInside(ctx, name, g); err != nil {
		return err
	}
	if err := g.wait(ctx, device); err != nil {
		return &callbacks.BarrierError{Barrier: name, InFlight: inFlight(g), Err: err}
	}
	return g.takeErrors(ctx, device, name)
}

// barrier is the barrier of all groups together.
func barrier(ctx context.Context, name string) error {
	groups.Lock()
	all := slices.Clone(groups.all)
	groups.Unlock()
	if err := refuseInside(ctx, name, all...); err != nil {
		return err
	}
	for _, g := range all {
		if err := g.Wait(ctx); err != nil {
			return &callbacks.BarrierError{Barrier: name, InFlight: inFlight(nil), Err: err}
		}
	}
	var e *callbacks.TapErrors
	for _, g := range all {
		e = join(e, g.takeErrors(ctx, allDevices, name))
	}
	if e == nil {
		return nil
	}
	return e
}

func refuseInside(ctx context.Context, name string, groups ...*Group) error {
	if ctx == nil {
		return fmt.Errorf("callbacks: barrier %q: %w", name, errNoContext)
	}
	inside := RunOf(ctx) != nil
	for _, g := range groups {
		inside = inside || g.options.Inside != nil && g.options.Inside()
	}
	if inside {
		return fmt.Errorf("callbacks: barrier %q: %w", name, callbacks.ErrBarrierInside)
	}
	return nil
}

// Wait is like Barrier but leaves the errors of taps for the next barrier.
func (g *Group) Wait(ctx context.Context) error { return g.wait(ctx, allDevices) }

func (g *Group) wait(ctx context.Context, device int) error {
	for _, done := range g.runsInFlight(device) {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	g.hurry(device)
	// The calls in the queues now are from these runs, or from later ones.
	for _, l := range g.lanesOf(device) {
		select {
		case <-l.flushed():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (g *Group) lanesOf(device int) []*lane {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []*lane
	for number, l := range g.lanes {
		if device == allDevices || number == device {
			list = append(list, l)
		}
	}
	return list
}

// lane returns the queue of a device.
func (g *Group) lane(device int) *lane {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.lanes[device]
	if l == nil {
		l = &lane{}
		g.lanes[device] = l
	}
	return l
}
