package lifetime

import "sync"

// Runs count the runs of something that may be closed meanwhile. The zero value is open. It is safe for concurrent use.
type Runs struct {
	mu     sync.Mutex
	n      int
	closed bool
	over   bool // closed, and n is 0
	then   []func()
}

// Begin adds a run, which ends with End. It returns false if it is closed.
func (r *Runs) Begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.n++
	return true
}

// End ends a run.
func (r *Runs) End() { r.change(func() { r.n-- }) }

// Close lets no further run begin. It reports whether this call has ended it: it was open, and nothing runs.
func (r *Runs) Close() (over bool) { return r.change(func() { r.closed = true }) }

// OnOver calls f once it is closed and has no runs. If several functions wait, they are called in the order in which
// they came.
func (r *Runs) OnOver(f func()) {
	r.mu.Lock()
	over := r.over
	if !over {
		r.then = append(r.then, f)
	}
	r.mu.Unlock()
	if over {
		f()
	}
}

func (r *Runs) change(by func()) (over bool) {
	r.mu.Lock()
	by()
	var then []func()
	if over = r.closed && r.n == 0 && !r.over; over {
		r.over = true
		then, r.then = r.then, nil
	}
	r.mu.Unlock()
	for _, f := range then {
		f()
	}
	return over
}
