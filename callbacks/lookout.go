package callbacks

import (
	"runtime"
	"sync/atomic"
	"time"
)

// lookOutTime is how long a goroutine looks for what it waits for before it sleeps:
// longer than a short call takes, and less than to sleep and be woken.
const lookOutTime = 20 * time.Microsecond

// lookingOut is how many goroutines do.
var lookingOut atomic.Int32

// lookOut reports whether seen becomes true soon. Where all processors are taken by
// goroutines that look, or there is one processor, it looks once: looking would keep from
// work those who are to be seen.
func lookOut(seen func() bool) bool {
	if seen() {
		return true
	}
	processors := runtime.GOMAXPROCS(0)
	if processors == 1 {
		return false
	}
	if int(lookingOut.Add(1)) > processors {
		lookingOut.Add(-1)
		return false
	}
	defer lookingOut.Add(-1)
	start := time.Now()
	for {
		for range 16 {
			pause()
			if seen() {
				return true
			}
		}
		if time.Since(start) > lookOutTime {
			return false
		}
		yield() // who is to be seen may have to run on this very processor
	}
}
