package callbacks

import "fmt"

// A Dispatch says how a function is called.
type Dispatch uint8

const (
	// Inline calls the function on the runtime's thread, on views of the runtime's memory.
	// It is the fastest, a tenth of a microsecond, and copies nothing. But the call
	// cannot be stopped, and calling runtime.Goexit in it ends the process. A timeout turns
	// Inline into Goroutine.
	Inline Dispatch = iota
	// Goroutine calls the function on a worker goroutine, on copies. The runtime's thread
	// waits until the function returns, the timeout expires, or the run is cancelled. It
	// costs a few microseconds if a worker is free, and a copy of operands and results.
	Goroutine
	// Async copies the operands into a queue and lets the device continue. The calls of one
	// device keep their order. If the queue is full, the device waits. Async costs the
	// device a microsecond and a copy of the operands. It is for the observe form, which
	// has no results, and for the passthrough form, whose values go on at once: what the
	// function writes to its copies is discarded. The next barrier returns its errors.
	Async
	// Deferred is like Goroutine, but the runtime's thread does not wait: calls of one run
	// that do not depend on each other may overlap. The package documentation says when. It
	// costs what Goroutine costs.
	Deferred
)

var dispatchNames = [...]string{"inline", "goroutine", "async", "deferred"}

// String returns the name in lower case.
func (d Dispatch) String() string {
	if int(d) < len(dispatchNames) {
		return dispatchNames[d]
	}
	return fmt.Sprintf("Dispatch(%d)", uint8(d))
}
