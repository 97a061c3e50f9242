package callbacks

import "fmt"

// Dispatch is the way in which a function is called.
type Dispatch uint8

const (
	// Inline calls the function on the runtime's thread, on views of the runtime's
	// memory. It is the fastest, a tenth of a microsecond, and copies nothing; but
	// nothing can interrupt the function, and runtime.Goexit in it ends the process.
	// With a timeout it becomes Goroutine.
	Inline Dispatch = iota
	// Goroutine calls the function on a worker, a goroutine of ours, on copies, while the
	// runtime's thread waits: until the function returns, its time is up, or its run
	// is cancelled. It costs a few microseconds where workers are free, and a copy of
	// operands and results.
	Goroutine
	// Async copies the operands into a queue and lets the device go on. The calls of
	// a device keep their order. When the queue is full the device waits. It costs the
	// device a microsecond and a copy of the operands. It is for the observe form, which
	// has no results, and for the passthrough form, whose values go on at once: what the
	// function writes to its copies reaches nobody. An error is the next barrier's.
	Async
	// Deferred is Goroutine with a runtime's thread that does not wait: calls of one
	// run that do not depend on one another may overlap; the documentation of this
	// package says when. It costs what Goroutine does.
	Deferred
)

var dispatchNames = [...]string{"inline", "goroutine", "async", "deferred"}

// String is the name in lower case.
func (d Dispatch) String() string {
	if int(d) < len(dispatchNames) {
		return dispatchNames[d]
	}
	return fmt.Sprintf("Dispatch(%d)", uint8(d))
}
