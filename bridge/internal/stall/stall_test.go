package stall

import (
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Time in which the process could not run, because the machine slept, does not count.
func TestStallClock(t *testing.T) {
	w := Watch{After: 8 * time.Second}
	now := time.Now()
	for _, step := range []time.Duration{0, time.Second, time.Hour, time.Second} {
		now = now.Add(step)
		w.tick(now)
	}
	check.Diff(t, "clock", 4*time.Second, w.clock)
}

// A run that waits behind a call which does not return is ended first, and that call's run after half of the time more.
func TestEnds(t *testing.T) {
	w := Watch{After: 8 * time.Second}
	now := time.Now()
	calls := []Call{{Key{Sequence: 7, Run: 1}, "f"}, {Key{Sequence: 8, Run: 3}, "of another client"}}
	var ended []int64
	for range 16 {
		w.Look(now, []int64{1, 2}, calls)
		now = now.Add(time.Second)
		callback, run, stuck := w.Stuck()
		check.Diff(t, "stuck", w.Clock() >= w.After, stuck)
		if !stuck {
			continue
		}
		check.Diff(t, "callback", "f", callback)
		check.Diff(t, "run", int64(1), run)
		w.End(false, func(id int64) bool {
			first := len(ended) == 0 || id == 1
			if first {
				ended = append(ended, id)
			}
			return first
		})
		if len(ended) == 2 {
			break
		}
	}
	check.Diff(t, "ended", []int64{2, 1}, ended)
	check.Diff(t, "clock", 12*time.Second, w.Clock())
}
