package dispatch

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
)

// Group is the runs of one client of a runtime, and what a barrier waits for. It is
// safe for concurrent use.
type Group struct {
	options GroupOptions

	mu    sync.Mutex
	runs  Run           // the head of a ring
	lanes map[int]*lane // by device
	taps  tapErrors
}

// GroupOptions are what a runtime says of a client.
type GroupOptions struct {
	// Name stands in messages.
	Name string
	// Enter makes the calling thread one that is inside a call of the group, until Leave is
	// called with the result. The goroutine is locked to its thread meanwhile, unless the
	// function in the call undoes that. Both may be nil.
	Enter func() (entered any)
	Leave func(entered any)
	// Inside says whether the calling thread is inside a call of the group. May be nil.
	Inside func() bool
}

// groups are those of the process.
var groups = struct {
	sync.Mutex
	all []*Group
}{}

// nowhere keeps the errors of taps that no run is known of.
var nowhere = NewGroup(GroupOptions{})

// NewGroup makes a group; Close ends it.
func NewGroup(o GroupOptions) *Group {
	g := &Group{options: o, lanes: map[int]*lane{}}
	g.runs.prev, g.runs.next = &g.runs, &g.runs
	groups.Lock()
	defer groups.Unlock()
	groups.all = append(groups.all, g)
	return g
}

// Close takes the group out of what Barrier waits for. It waits for nothing.
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

// remove reports whether the run was not over before.
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

// Runs is the runs that have begun and are not over, the oldest first.
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

// Waiting is callbacks.Waiting for the calls of the group.
func (g *Group) Waiting() []callbacks.Underway { return waitingOf(g) }

// underway is what to wait for until every run that has begun is over.
func (g *Group) underway() []<-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []<-chan struct{}
	for r := g.runs.next; r != &g.runs; r = r.next {
		if r.done == nil {
			r.done = make(chan struct{})
		}
		list = append(list, r.done)
	}
	return list
}

// Barrier waits until every callback of every run that the group began before is
// over, on all devices, those in queues too. It returns the errors of taps since the
// last barrier as a *Error, nil where there was none. When ctx ends first it is a
// *BarrierError that says what is still under way, and the taps' errors stay for the
// next one. Inside a callback it is refused: it would wait for itself.
func (g *Group) Barrier(ctx context.Context, name string) error {
	if err := refuseInside(ctx, name, g); err != nil {
		return err
	}
	if err := g.Wait(ctx); err != nil {
		return &callbacks.BarrierError{Barrier: name, Waiting: waitingOf(g), Err: err}
	}
	return g.takeErrors(ctx, name)
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
			return &callbacks.BarrierError{Barrier: name, Waiting: waitingOf(nil), Err: err}
		}
	}
	var e *callbacks.Error
	for _, g := range all {
		e = join(e, g.takeErrors(ctx, name))
	}
	if e == nil {
		return nil
	}
	return e
}

func refuseInside(ctx context.Context, name string, groups ...*Group) error {
	inside := RunOf(ctx) != nil
	for _, g := range groups {
		inside = inside || g.options.Inside != nil && g.options.Inside()
	}
	if inside {
		return fmt.Errorf("callbacks: barrier %q: %w", name, callbacks.ErrBarrierInside)
	}
	return nil
}

// Wait is Barrier but for the errors of taps.
func (g *Group) Wait(ctx context.Context) error {
	for _, done := range g.underway() {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	// What is in the queues now came from these runs, or from later ones.
	for _, l := range g.allLanes() {
		select {
		case <-l.flushed():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (g *Group) allLanes() []*lane {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []*lane
	for _, l := range g.lanes {
		list = append(list, l)
	}
	return list
}

// lane is the queue of a device.
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
