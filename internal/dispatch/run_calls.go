package dispatch

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// runCalls is what a run knows of its calls that nobody waits for.
type runCalls struct {
	mu       sync.Mutex
	pools    []*pool     // with such calls
	stop     func() bool // of what gives them up when the run's context ends
	detached context.Context
}

// cancels has the run's calls in the pool given up when its context ends.
func (r *Run) cancels(p *pool) {
	if r == nil {
		return
	}
	r.calls.mu.Lock()
	defer r.calls.mu.Unlock()
	if slices.Contains(r.calls.pools, p) {
		return
	}
	r.calls.pools = append(r.calls.pools, p)
	if r.calls.stop == nil {
		r.calls.stop = context.AfterFunc(r.ctx, r.giveUp)
	}
}

func (r *Run) giveUp() {
	r.calls.mu.Lock()
	list := slices.Clone(r.calls.pools)
	r.calls.mu.Unlock()
	for _, p := range list {
		p.cancel(r)
	}
}

// end says that the run has no such calls any more.
func (c *runCalls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}

// detached is the context of the run for calls that may outlive it.
func (r *Run) detached(ctx context.Context) context.Context {
	if r == nil || ctx != r.ctx {
		return context.WithoutCancel(ctx)
	}
	r.calls.mu.Lock()
	defer r.calls.mu.Unlock()
	if r.calls.detached == nil {
		r.calls.detached = context.WithoutCancel(ctx)
	}
	return r.calls.detached
}

// memory is RunOptions.Memory.
func (r *Run) memory() func(s *Slot, n int) ([]byte, func()) {
	if r == nil {
		return nil
	}
	return r.options.Memory
}

// enter makes this thread one that is inside a call, and keeps the goroutine on it. The
// result is for leave.
func (r *Run) enter() (entered any) {
	if r == nil || r.group.options.Enter == nil {
		return nil
	}
	for range threadLocks {
		runtime.LockOSThread()
	}
	return r.group.options.Enter()
}

// threadLocks is how often the goroutine is locked to the thread. A function that calls
// runtime.UnlockOSThread once too often would let others on a thread that counts as one
// inside a call.
const threadLocks = 8

// leave takes back what enter did.
func (r *Run) leave(entered any) {
	if entered == nil {
		return
	}
	r.group.options.Leave(entered)
	for range threadLocks + 2 { // and what a function has locked once too often
		runtime.UnlockOSThread()
	}
}
