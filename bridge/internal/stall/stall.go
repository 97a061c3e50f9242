// Package stall finds runs of a client that make no progress, by what is in flight at some times.
package stall

import "time"

// ticks is the number of looks at the runs in the time that they may take.
const ticks = 8

// A Watch knows since when runs and calls are in flight, on a clock that stops while the process is stopped. Its
// methods must not be called at once.
type Watch struct {
	After time.Duration // how long a run may wait behind a call; 0 means any time

	clock, sparedUntil time.Duration // until sparedUntil, runs with calls in flight are not ended
	last               time.Time
	calls              map[Key]*call
	runs               map[int64]*run
}

// A Call is one in flight.
type Call struct {
	Key
	Name string // of the callback
}

// A Key identifies a call: on a thread by its sequence, otherwise by its start.
type Key struct {
	Sequence uint64
	Run      int64
	Callback string
	Begun    time.Time
}

type call struct {
	since   time.Duration
	name    string
	run     int64
	present bool // whether it is still in flight
}

type run struct {
	since   time.Duration // its last known progress
	calls   int           // number of its calls in flight
	present bool
}

// Interval returns the time between two looks.
func (w *Watch) Interval() time.Duration { return max(w.After/ticks, time.Millisecond) }

// Clock returns the time of the last look.
func (w *Watch) Clock() time.Duration { return w.clock }

// Reset forgets what is in flight: nothing is.
func (w *Watch) Reset() { w.calls, w.runs, w.last = nil, nil, time.Time{} }

// tick advances the clock, but not by a time in which the process could not run, because
// the machine slept or the process was stopped.
func (w *Watch) tick(now time.Time) {
	if w.last.IsZero() {
		w.last = now
	}
	w.clock += min(now.Sub(w.last), 2*w.Interval())
	w.last = now
}

// Look records what is in flight: the numbers of the client's runs, and calls of these and of other runs.
func (w *Watch) Look(now time.Time, runs []int64, calls []Call) {
	w.tick(now)
	if w.calls == nil {
		w.calls, w.runs = map[Key]*call{}, map[int64]*run{}
	}
	for _, c := range w.calls {
		c.present = false
	}
	for _, r := range w.runs {
		r.present = false
	}
	for _, id := range runs {
		seen := w.runs[id]
		if seen == nil {
			seen = &run{since: w.clock}
			w.runs[id] = seen
		}
		seen.present, seen.calls = true, 0
	}
	for _, c := range calls {
		r := w.runs[c.Run]
		if r == nil || !r.present {
			continue // another client's
		}
		seen := w.calls[c.Key]
		if seen == nil {
			seen = &call{since: w.clock, name: c.Name, run: c.Run}
			w.calls[c.Key] = seen
			r.since = w.clock // progress
		}
		seen.present = true
		r.calls++
	}
	for key, c := range w.calls {
		if !c.present {
			if r := w.runs[c.run]; r != nil {
				r.since = w.clock // progress
			}
			delete(w.calls, key)
		}
	}
	for id, r := range w.runs {
		if !r.present {
			delete(w.runs, id)
		}
	}
}

// Stuck returns the callback and the run of the oldest call that has been in flight for too long.
func (w *Watch) Stuck() (callback string, run int64, stuck bool) {
	var oldest *call
	for _, c := range w.calls {
		if w.clock-c.since >= w.After && (oldest == nil || c.since < oldest.since) {
			oldest = c
		}
	}
	if oldest == nil {
		return "", 0, false
	}
	return oldest.name, oldest.run, true
}

// End calls end with the number of each run that has made no progress for too long, which reports whether it was in
// flight. ended says that others which waited were ended. Runs with calls in flight come last: a callback that waited
// for one of the others can return now, and is given half of the time.
func (w *Watch) End(ended bool, end func(run int64) bool) {
	var last []int64
	for id, r := range w.runs {
		switch {
		case w.clock-r.since < w.After:
		case r.calls > 0:
			last = append(last, id)
		default:
			ended = end(id) || ended
		}
	}
	if ended {
		w.sparedUntil = w.clock + w.After/2
	}
	if w.clock < w.sparedUntil {
		return
	}
	for _, id := range last {
		end(id)
	}
}
