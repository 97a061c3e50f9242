// Package lifetime counts the uses of something that must not be freed while it is used.
package lifetime

import "sync/atomic"

// A Lifetime says when an object in C may be freed: when it is closed and has no uses. The
// zero value is open and unused. It is safe for concurrent use.
type Lifetime struct{ state atomic.Int64 }

const closedBit = 1 << 62

// Use adds a use, which ends with Done. It returns false if the object is closed.
func (l *Lifetime) Use() bool {
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

// AddUse adds a use. The caller must have a use already; the object may be closed.
func (l *Lifetime) AddUse() { l.state.Add(1) }

// Claim closes the object and adds a use, if it is open and has no other use.
func (l *Lifetime) Claim() bool { return l.state.CompareAndSwap(0, closedBit+1) }

// Unclaim undoes Claim.
func (l *Lifetime) Unclaim() { l.state.Store(0) }

// Done ends a use. If it returns true, the caller must free the object.
func (l *Lifetime) Done() (free bool) { return l.state.Add(-1) == closedBit }

// Close closes the object. first reports whether it was open. If free is true, the caller
// must free the object.
func (l *Lifetime) Close() (first, free bool) {
	old := l.state.Or(closedBit)
	first = old&closedBit == 0
	return first, first && old == 0
}

// Uses returns the number of uses.
func (l *Lifetime) Uses() int64 { return l.state.Load() &^ closedBit }

// Closed reports whether the object is closed.
func (l *Lifetime) Closed() bool { return l.state.Load()&closedBit != 0 }
