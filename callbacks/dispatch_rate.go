package callbacks

import (
	"sync/atomic"
	"time"
)

// rate lets so many calls through in each second. The seconds are those since the
// program began.
type rate struct {
	calls     atomic.Int64 // for the module's "every"
	perSecond uint32
	window    atomic.Uint64 // the second, and how many calls it had: 32 bits each
}

var (
	programStart = time.Now()
	second       = func() uint32 { return uint32(time.Since(programStart) / time.Second) }
)

// allow counts a call, and says whether it is one of those that may be.
func (r *rate) allow() bool {
	if r.perSecond == 0 {
		return true
	}
	now := uint64(second()) << 32
	for {
		old := r.window.Load()
		next := old + 1
		if old>>32<<32 != now {
			next = now | 1
		}
		if uint32(next) > r.perSecond {
			return false
		}
		if r.window.CompareAndSwap(old, next) {
			return true
		}
	}
}
