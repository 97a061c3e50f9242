package dispatch

import (
	"runtime"
	"sync/atomic"
	"time"
)

// lookOutTime is how long a goroutine looks for what it waits for before it sleeps:
// longer than a short call takes, and less than to sleep and be woken.
const lookOutTime = 20 * time.Microsecond

// processors is GOMAXPROCS, as it was when somebody last had to sleep: to ask takes a lock
// of the scheduler's.
var processors atomic.Int32

func init() { countProcessors() }

func countProcessors() { processors.Store(int32(runtime.GOMAXPROCS(0))) }

// lookers is how many goroutines of a kind look at once.
type lookers struct{ n atomic.Int32 }

// Whoever waits for a worker leaves a processor to it.
var (
	waitingLookers lookers
	workingLookers lookers
)

// lookOut reports whether seen becomes true soon. At most so many look at once, and where
// there is one processor nobody does: looking would keep from work those who are to be
// seen.
func (l *lookers) lookOut(most int, limit time.Duration, seen func() bool) bool {
	if seen() {
		return true
	}
	if most < 1 {
		return false
	}
	if int(l.n.Add(1)) > most {
		l.n.Add(-1)
		return false
	}
	defer l.n.Add(-1)
	start := time.Now()
	for {
		for range 16 {
			pause()
			if seen() {
				return true
			}
		}
		if time.Since(start) > limit {
			return false
		}
		yield() // who is to be seen may have to run on this very processor
	}
}

// copyTime is what it takes at most to copy so many bytes twice, where they are not in a
// cache: what a thread of the runtime does between two calls of a worker.
func copyTime(bytes int) time.Duration {
	return min(time.Duration(bytes/4), 300*time.Microsecond)
}
