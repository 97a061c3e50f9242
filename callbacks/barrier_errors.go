package callbacks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/errtext"
)

// A CallError is the error of one call of a tap.
type CallError struct {
	Callback string
	Device   int
	RunID    int64
	Err      error
}

func (e *CallError) Error() string {
	return fmt.Sprintf("callbacks: tap %q on device %d in run %d: %s", e.Callback, e.Device, e.RunID, errtext.Of(e.Err))
}

// Unwrap returns the error of the function.
func (e *CallError) Unwrap() error { return e.Err }

// An Error holds the errors of failed taps. A barrier returns it, because a failed tap does
// not stop its run.
type Error struct {
	Barrier string       // the name of the barrier
	Count   int          // number of calls that failed since the last barrier
	Errors  []*CallError // the most recent ones, oldest first
}

func (e *Error) Error() string {
	return fmt.Sprintf("callbacks: barrier %q: %d calls of taps failed, the last with: %v", e.Barrier, e.Count, e.Last())
}

// Last returns the most recent error.
func (e *Error) Last() error { return e.Errors[len(e.Errors)-1] }

// Unwrap returns the errors in Errors.
func (e *Error) Unwrap() []error {
	list := make([]error, len(e.Errors))
	for i, err := range e.Errors {
		list[i] = err
	}
	return list
}

// A BarrierError is the error of a barrier whose context ended first.
type BarrierError struct {
	Barrier string
	Waiting []Underway // the known calls in flight; see Waiting
	Err     error      // the error of the context
}

func (e *BarrierError) Error() string {
	under := "runs are in flight"
	if n := len(e.Waiting); n > 0 {
		names := make([]string, 0, n)
		for _, c := range e.Waiting {
			names = append(names, fmt.Sprintf("%q", c.Callback))
		}
		slices.Sort(names)
		under = "in flight are calls of " + strings.Join(slices.Compact(names), ", ")
	}
	return fmt.Sprintf("callbacks: barrier %q ended before the callbacks did: %s: %v", e.Barrier, under, e.Err)
}

// Unwrap returns the error of the context.
func (e *BarrierError) Unwrap() error { return e.Err }
