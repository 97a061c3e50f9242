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
	return &callbacks.TapErrors{Barrier: e.Barrier, Count: e.Count + other.Count,
		Errors: slices.Concat(e.Errors, other.Errors)}
}

// tapErrors holds the errors of one device since the last barrier. The lock of a group
// guards it.
type tapErrors struct {
	count int
	last  []numbered
	logs  []*logQueue // logs that report the errors
}

// A numbered error says how many errors of the group came before it.
type numbered struct {
	number int
	err    *callbacks.CallError
}

func (g *Group) keepError(e *callbacks.CallError, log *logQueue) {
	g.mu.Lock()
	defer g.mu.Unlock()
	taps := g.taps[e.Device]
	if taps == nil {
		taps = &tapErrors{}
		g.taps[e.Device] = taps
	}
	taps.count++
	if !slices.Contains(taps.logs, log) {
		taps.logs = append(taps.logs, log)
	}
	if len(taps.last) == keptErrors {
		taps.last = slices.Delete(taps.last, 0, 1)
	}
	g.tap++
	taps.last = append(taps.last, numbered{g.tap, e})
}

// takeErrors returns the errors of a device, and forgets them.
func (g *Group) takeErrors(ctx context.Context, device int, barrier string) error {
	var all tapErrors
	g.mu.Lock()
	for number, taps := range g.taps {
		if device != allDevices && number != device {
			continue
		}
		delete(g.taps, number)
		all.count += taps.count
		all.last = append(all.last, taps.last...)
		all.logs = append(all.logs, taps.logs...)
	}
	g.mu.Unlock()
	for _, log := range all.logs {
		log.flush(ctx)
	}
	if all.count == 0 {
		return nil
	}
	slices.SortFunc(all.last, func(a, b numbered) int { return a.number - b.number })
	e := &callbacks.TapErrors{Barrier: barrier, Count: all.count}
	for _, n := range all.last[max(0, len(all.last)-keptErrors):] {
		e.Errors = append(e.Errors, n.err)
	}
	return e
}
