package calliope

import "sync"

// uses counts the runs of something that may be closed meanwhile.
type uses struct {
	mu     sync.Mutex
	n      int
	closed bool
	over   []func()
}

// begin adds a use, which ends with end. It returns false if it is closed.
func (u *uses) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.n++
	return true
}

func (u *uses) end() { u.change(func() { u.n-- }) }

// close lets no further use begin.
func (u *uses) close() { u.change(func() { u.closed = true }) }

// whenOver calls f once it is closed and has no uses.
func (u *uses) whenOver(f func()) { u.change(func() { u.over = append(u.over, f) }) }

func (u *uses) change(by func()) {
	u.mu.Lock()
	by()
	var over []func()
	if u.closed && u.n == 0 {
		over, u.over = u.over, nil
	}
	u.mu.Unlock()
	for _, f := range over {
		f()
	}
}
