package callbacks

import (
	"sync/atomic"
	"time"
)

// rate limits the number of calls in each second, over all call sites of a callback. The
// seconds are counted from the start of the program.
type rate struct {
	window atomic.Uint64 // the second and its number of calls, 32 bits each
}

var (
	programStart = time.Now()
	second       = func() uint32 { return uint32(time.Since(programStart) / time.Second) }
)

// allow counts a call and reports whether it is within the limit of its second.
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
