package callbacks

import (
	"sync/atomic"
	"time"
)

// rate spaces the calls of a callback, over all its call sites. Its value is the time of the next call,
// in nanoseconds since the start of the program.
type rate struct{ next atomic.Int64 }

var (
	programStart = time.Now()
	sinceStart   = func() time.Duration { return time.Since(programStart) }
)

// wait returns 0 if a call may be made now, and counts it. Otherwise it returns the time until then.
func (r *rate) wait(perSecond uint32) time.Duration {
	for {
		now, next := int64(sinceStart()), r.next.Load()
		if now < next {
			return time.Duration(next - now)
		}
		if r.next.CompareAndSwap(next, now+int64(time.Second)/int64(perSecond)) {
			return 0
		}
	}
}
