package dispatch

import (
	"context"
	"slices"

	"github.com/calliope-mlir/calliope/callbacks"
)

// keptErrors limits how many errors of taps are kept for a barrier. All are counted.
const keptErrors = 64

// join adds the errors of another group.
func join(e *callbacks.TapErrors, err error) *callbacks.TapErrors {
	other, _ := err.(*callbacks.TapErrors)
	if e == nil || other == nil {
		if e == nil {
			return other
		}
		return e
	}
	return &callbacks.TapErrors{Barrier: e.Barrier, Count: e.Count + other.Count, Errors: slices.Concat(e.Errors, other.Errors)}
}

// tapErrors holds the errors since the last barrier. The lock of a group guards it.
type tapErrors struct {
	count int
	last  []*callbacks.TapError
	logs  []*logQueue // logs that report the errors
}

func (g *Group) keepError(e *callbacks.TapError, log *logQueue) {
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
	return &callbacks.TapErrors{Barrier: barrier, Count: taps.count, Errors: taps.last}
}
