package bridge

import "sync/atomic"

// A lifetime says when an object in C may be freed: when it is closed and has no uses. The
// zero value is open and unused.
type lifetime struct{ state atomic.Int64 }

const closedBit = 1 << 62

// use adds a use, which ends with done. It returns false if the object is closed.
func (l *lifetime) use() bool {
	for {
		state := l.state.Load()
		if state&closedBit != 0 {
			return false
		}
		if l.state.CompareAndSwap(state, state+1) {
			return true
		}
	}
}

// addUse adds a use. The caller must have a use already; the object may be closed.
func (l *lifetime) addUse() { l.state.Add(1) }

// claim closes the object and adds a use, if it is open and has no other use.
func (l *lifetime) claim() bool { return l.state.CompareAndSwap(0, closedBit+1) }

// unclaim undoes claim.
func (l *lifetime) unclaim() { l.state.Store(0) }

// done ends a use. If it returns true, the caller must free the object.
func (l *lifetime) done() (free bool) { return l.state.Add(-1) == closedBit }

// close closes the object. first reports whether it was open. If free is true, the caller
// must free the object.
func (l *lifetime) close() (first, free bool) {
	old := l.state.Or(closedBit)
	first = old&closedBit == 0
	return first, first && old == 0
}

func (l *lifetime) closed() bool { return l.state.Load()&closedBit != 0 }
