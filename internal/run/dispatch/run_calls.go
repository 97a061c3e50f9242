package dispatch

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// runCalls tracks the calls of a run that no thread waits for.
type runCalls struct {
	mu       sync.Mutex
	pools    []*pool     // pools with such calls
	stop     func() bool // stops giving up the calls at the end of the run's context
	detached context.Context
}

// cancels registers the pool, so that the run's calls in it are given up when its context
// ends.
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

// end records that the run has no such calls any more.
func (c *runCalls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}

// detached returns the context of the run for calls that may outlive it.
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

// memory returns RunOptions.Memory.
func (r *Run) memory() func(s *Slot, n int) ([]byte, func()) {
	if r == nil {
		return nil
	}
	return r.options.Memory
}

// enter marks this thread as inside a call and locks the goroutine to it. The result is for
// leave.
func (r *Run) enter() (entered any) {
	if r == nil || r.group.options.Enter == nil {
		return nil
	}
	for range threadLocks {
		runtime.LockOSThread()
	}
	return r.group.options.Enter(r)
}

// threadLocks is how often the goroutine is locked to the thread. If a function calls
// runtime.UnlockOSThread once too often, other goroutines could otherwise run on a thread
// that counts as inside a call.
const threadLocks = 8

// leave undoes enter.
func (r *Run) leave(entered any) {
	if entered == nil {
		return
	}
	r.group.options.Leave(entered)
	for range threadLocks + 2 { // also undoes surplus locks of the function
		runtime.UnlockOSThread()
	}
}
