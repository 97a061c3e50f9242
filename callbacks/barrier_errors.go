package callbacks

import (
	"fmt"
	"slices"
	"strings"
)

// TapErrors holds the errors of failed taps, and of callbacks with Options.KeepErrors. A barrier
// returns it, because they do not stop their runs.
type TapErrors struct {
	Barrier string       // the name of the barrier
	Count   int          // number of calls that failed since the last barrier
	Errors  []*CallError // the most recent ones, oldest first
}

func (e *TapErrors) Error() string {
	last := e.Last()
	return fmt.Sprintf("callbacks: barrier %q: %d calls failed, the last in run %d: %v", e.Barrier, e.Count,
		last.RunID, last)
}

// Last returns the most recent error.
func (e *TapErrors) Last() *CallError { return e.Errors[len(e.Errors)-1] }

// Unwrap returns the errors in Errors.
func (e *TapErrors) Unwrap() []error {
	list := make([]error, len(e.Errors))
	for i, err := range e.Errors {
		list[i] = err
	}
	return list
}

// A BarrierError is the error of a barrier whose context ended first.
type BarrierError struct {
	Barrier  string
	InFlight []InFlightCall // the known calls in flight; see InFlight
	Err      error          // the error of the context
}

func (e *BarrierError) Error() string {
	under := "runs are in flight"
	if n := len(e.InFlight); n > 0 {
		names := make([]string, 0, n)
		for _, c := range e.InFlight {
			names = append(names, fmt.Sprintf("%q", c.Callback))
		}
		slices.Sort(names)
		under = "in flight are calls of " + strings.Join(slices.Compact(names), ", ")
	}
	return fmt.Sprintf("callbacks: barrier %q ended before the callbacks did: %s: %v", e.Barrier, under, e.Err)
}

// Unwrap returns the error of the context.
func (e *BarrierError) Unwrap() error { return e.Err }
