// Package trim returns memory of C to the system.
//
// The allocator of glibc keeps what is freed: after 200 programs of package jit were closed, the process held 200 MiB
// that nothing used. Its function malloc_trim returns all whole pages of that.
package trim

import (
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/dl"
)

const (
	delay = time.Second // after the first memory that was freed
	share = 100         // of a processor's time is spent at most
)

var (
	scheduled atomic.Bool
	spent     atomic.Int64 // nanoseconds that the last one took
)

// Soon has freed memory returned in a while. It costs nothing to call it often.
func Soon() {
	if dl.CanTrim && scheduled.CompareAndSwap(false, true) {
		time.AfterFunc(max(delay, share*time.Duration(spent.Load())), now)
	}
}

func now() {
	scheduled.Store(false) // what is freed from here on is for the next one
	begin := time.Now()
	dl.Trim()
	spent.Store(int64(time.Since(begin)))
}
