package serve

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/internal/run/cuda"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
)

// A Run is what the calls of an execution need of it. Its fields must not change between Add and Remove.
type Run struct {
	Calls   dispatch.Run // the state that its calls share
	Several bool         // whether it runs on several devices
	Debug   bool         // whether functions get copies, see frame.debug
	Pinned  *cuda.Pool   // for calls on GPUs; nil for other clients
	Of      any          // the runtime's own object

	id     int32
	called atomic.Bool
}

// ID returns the number that XLA hands through to each call.
func (r *Run) ID() int32 { return r.id }

// Called reports whether a function was called, which may have kept the run's context.
func (r *Run) Called() bool { return r.called.Load() }

// calls returns the state that the run's calls share, or nil if r is nil.
func (r *Run) calls() *dispatch.Run {
	if r == nil {
		return nil
	}
	return &r.Calls
}

// maxRuns is the number of runs that may be in flight at once in the process.
const maxRuns = 1 << 14

// runs has the runs in flight by their numbers. Finding one needs no lock.
var runs struct {
	last  atomic.Uint32
	slots [maxRuns]atomic.Pointer[Run]
}

// Add assigns a number to r, by which its calls find it until Remove.
func Add(r *Run) error {
	for range maxRuns {
		r.id = int32(runs.last.Add(1) & math.MaxInt32)
		// XLA takes 0 for no launch id.
		if r.id != 0 && runs.slots[r.id%maxRuns].CompareAndSwap(nil, r) {
			return nil
		}
	}
	return fmt.Errorf("bridge: %d runs are in flight; wait for some before starting more", maxRuns)
}

// Remove forgets a run of which no call is in flight.
func Remove(r *Run) { runs.slots[r.id%maxRuns].Store(nil) }

// Find returns the run in flight with a number, or nil.
func Find(id int64) *Run {
	if id <= 0 {
		return nil
	}
	if r := runs.slots[id%maxRuns].Load(); r != nil && int64(r.id) == id {
		return r
	}
	return nil
}

// runOf returns the run of a call, or nil if it is not known or a host's.
func runOf(call *ffi.Call) *Run {
	if call.Hosted() {
		return nil
	}
	r := Find(call.RunID())
	if r != nil && !r.called.Load() { // a load is cheaper than a store, and most calls are not the first
		r.called.Store(true)
	}
	return r
}
