package callbacks

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// keptErrors is how many errors of taps are kept for a barrier; all are counted.
const keptErrors = 64

// CallError is an error of one call of a tap.
type CallError struct {
	Callback string
	Device   int
	RunID    int64
	Err      error
}

func (e *CallError) Error() string {
	return fmt.Sprintf("callbacks: tap %q on device %d in run %d: %s", e.Callback, e.Device, e.RunID, TextOf(e.Err))
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

// join adds another group's errors.
func (e *Error) join(err error) *Error {
	other, _ := err.(*Error)
	if e == nil || other == nil {
		if e == nil {
			return other
		}
		return e
	}
	return &Error{e.Barrier, e.Count + other.Count, slices.Concat(e.Errors, other.Errors)}
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

// tapErrors are those since the last barrier, under the lock of a group.
type tapErrors struct {
	count int
	last  []*CallError
	logs  []*logQueue // where they are to be written
}

func (g *Group) keepError(e *CallError, log *logQueue) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.taps.count++
	if !slices.Contains(g.taps.logs, log) {
		g.taps.logs = append(g.taps.logs, log)
	}
	if len(g.taps.last) == keptErrors {
		g.taps.last = slices.Delete(g.taps.last, 0, 1)
	}
	g.taps.last = append(g.taps.last, e)
}

func (g *Group) takeErrors(ctx context.Context, barrier string) error {
	g.mu.Lock()
	taps := g.taps
	g.taps = tapErrors{}
	g.mu.Unlock()
	for _, log := range taps.logs {
		log.flush(ctx)
	}
	if taps.count == 0 {
		return nil
	}
	return &Error{Barrier: barrier, Count: taps.count, Errors: taps.last}
}
