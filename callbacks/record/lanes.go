package record

import "time"

// laneSet assigns overlapping intervals of one track to different lanes.
type laneSet struct {
	busy []bool
	end  []time.Duration // end of the last interval in the lane
}

// take returns the first lane that is free at the given time.
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
