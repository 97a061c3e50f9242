package bridge

import "sync/atomic"

// lifetime says when something in C may be freed: once it is closed and nobody
// uses it any more, on whichever side that is later. The zero value is open and
// unused.
type lifetime struct{ state atomic.Int64 }

const closedBit = 1 << 62

// use keeps the thing until done, and is false once it is closed.
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

// more adds a use to the one that the caller has, also after close.
func (l *lifetime) more() { l.state.Add(1) }

// claim makes the caller the last user, if there is no other, and closes.
func (l *lifetime) claim() bool { return l.state.CompareAndSwap(0, closedBit+1) }

// done ends a use; true tells the caller to free.
func (l *lifetime) done() (free bool) { return l.state.Add(-1) == closedBit }

// close ends the time in which uses may begin; free tells the caller to free, and
// first that nobody had closed it before.
func (l *lifetime) close() (first, free bool) {
	old := l.state.Or(closedBit)
	first = old&closedBit == 0
	return first, first && old == 0
}

func (l *lifetime) closed() bool { return l.state.Load()&closedBit != 0 }
