package callbacks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/errtext"
)

// CallError is an error of one call of a tap.
type CallError struct {
	Callback string
	Device   int
	RunID    int64
	Err      error
}

func (e *CallError) Error() string {
	return fmt.Sprintf("callbacks: tap %q on device %d in run %d: %s", e.Callback, e.Device, e.RunID, errtext.Of(e.Err))
}

// Unwrap is what the function ended with.
func (e *CallError) Unwrap() error { return e.Err }

// Error is what a barrier returns when taps failed: a tap does not stop its run.
type Error struct {
	Barrier string       // the name of the barrier
	Count   int          // how many calls failed since the last barrier
	Errors  []*CallError // the last of them, oldest first
}

func (e *Error) Error() string {
	return fmt.Sprintf("callbacks: barrier %q: %d calls of taps failed, the last one: %v", e.Barrier, e.Count, e.Last())
}

// Last is the last error.
func (e *Error) Last() error { return e.Errors[len(e.Errors)-1] }

// Unwrap is the errors that were kept.
func (e *Error) Unwrap() []error {
	list := make([]error, len(e.Errors))
	for i, err := range e.Errors {
		list[i] = err
	}
	return list
}

// BarrierError is a barrier whose context ended first.
type BarrierError struct {
	Barrier string
	Waiting []Underway // what was under way and is known; see Waiting
	Err     error      // the context's
}

func (e *BarrierError) Error() string {
	under := "runs are under way"
	if n := len(e.Waiting); n > 0 {
		names := make([]string, 0, n)
		for _, c := range e.Waiting {
			names = append(names, fmt.Sprintf("%q", c.Callback))
		}
		slices.Sort(names)
		under = "under way are calls of " + strings.Join(slices.Compact(names), ", ")
	}
	return fmt.Sprintf("callbacks: barrier %q waited in vain, %s: %v", e.Barrier, under, e.Err)
}

// Unwrap is the context's error.
func (e *BarrierError) Unwrap() error { return e.Err }
