package record

import "time"

// laneSet gives what overlaps in one track lanes of their own.
type laneSet struct {
	busy []bool
	end  []time.Duration // when the last one in the lane ended
}

// take is the first lane that is free at a time.
func (l *laneSet) take(at time.Duration) int {
	for i, busy := range l.busy {
		if !busy && l.end[i] <= at {
			l.busy[i] = true
			return i
		}
	}
	l.busy, l.end = append(l.busy, true), append(l.end, 0)
	return len(l.busy) - 1
}

func (l *laneSet) give(lane int, at time.Duration) { l.busy[lane], l.end[lane] = false, at }
