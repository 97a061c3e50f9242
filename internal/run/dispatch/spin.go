package dispatch

import (
	"runtime"
	"sync/atomic"
	"time"
)

// spinTime is how long a goroutine spins before it sleeps: longer than a short call takes,
// and less than sleeping and waking up take.
const spinTime = 20 * time.Microsecond

// processors is GOMAXPROCS at the time when a goroutine last had to sleep. Reading
// GOMAXPROCS takes a lock of the scheduler.
var processors atomic.Int32

func init() { countProcessors() }

func countProcessors() { processors.Store(int32(runtime.GOMAXPROCS(0))) }

// spinners counts the goroutines of one kind that spin.
type spinners struct{ n atomic.Int32 }

// A thread that waits for a worker leaves a processor to it.
var (
	waitingSpinners spinners
	workingSpinners spinners
)

// spin reports whether done becomes true soon. At most the given number of goroutines spin
// at once, and none if there is only one processor: spinning would keep the goroutine that
// it waits for from running.
func (l *spinners) spin(most int, limit time.Duration, done func() bool) bool {
	if done() {
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
			if done() {
				return true
			}
		}
		if time.Since(start) > limit {
			return false
		}
		yield() // the awaited goroutine may need this processor
	}
}

// copyTime returns an upper bound for the time to copy the given number of bytes twice when
// they are not in a cache. A thread of the runtime does this between two calls of a worker.
func copyTime(bytes int) time.Duration {
	return min(time.Duration(bytes/4), 300*time.Microsecond)
}
