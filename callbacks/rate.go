package callbacks

import (
	"sync/atomic"
	"time"
)

// rate lets so many calls through in each second, all call sites of a callback
// together. The seconds are those since the program began.
type rate struct {
	window atomic.Uint64 // the second, and how many calls it had: 32 bits each
}

var (
	programStart = time.Now()
	second       = func() uint32 { return uint32(time.Since(programStart) / time.Second) }
)

// allow counts a call, and says whether it is one of the first in its second.
func (r *rate) allow(perSecond uint32) bool {
	now := uint64(second()) << 32
	for {
		old := r.window.Load()
		next := old + 1
		if old>>32<<32 != now {
			next = now | 1
		}
		if uint32(next) > perSecond {
			return false
		}
		if r.window.CompareAndSwap(old, next) {
			return true
		}
	}
}
