package bridge

import (
	"fmt"
	"time"

	"github.com/calliope-mlir/calliope/internal/ffi"
)

// A StallError reports a run that waited for longer than ClientOptions.StallAfter while a
// callback of the same client did not return. Most often that callback waits for this run,
// or for one that is queued behind it.
type StallError struct {
	Callback string // name of the callback that has not returned, or "id N"
	RunID    int64  // the run that called it
	After    time.Duration
}

func (e *StallError) Error() string {
	return fmt.Sprintf("bridge: the run waited for %v behind callback %q of run %d, which has not returned: a callback that runs modules, or waits for a goroutine that does, must use the client that bridge.InnerClient returns (ClientOptions.StallAfter is the limit)",
		e.After, e.Callback, e.RunID)
}

// Timeout returns true, like the errors of package net.
func (e *StallError) Timeout() bool { return true }

const defaultStall = 30 * time.Second

// stallTicks is the number of checks of a client's runs in StallAfter.
const stallTicks = 8

// stalls finds runs of a client that make no progress. It adds no cost to calls and runs:
// while there are runs, a timer checks what is in flight.
type stalls struct {
	after time.Duration // 0 means never

	// Only the timer's function uses these. The clock stops while the process is stopped.
	clock, sparedUntil time.Duration // until sparedUntil, runs with calls in flight are not ended
	last               time.Time
	calls              map[callKey]*callSeen
	runs               map[*Run]*runSeen
}

// A callKey identifies a call: on a thread by its sequence, otherwise by its start.
type callKey struct {
	sequence uint64
	run      int64
	callback string
	begun    time.Time
}

type callSeen struct {
	since   time.Duration
	name    string
	run     int64
	present bool // whether it is still in flight
}

type runSeen struct {
	since   time.Duration // its last known progress
	calls   int           // number of its calls in flight
	present bool
}

// interval returns the time between two checks.
func (s *stalls) interval() time.Duration { return max(s.after/stallTicks, time.Millisecond) }

// watchRuns starts the checks of the client's runs, which go on while there are any.
func (client *Client) watchRuns() {
	if client.stalls.after == 0 || client.watching.Load() || !client.watching.CompareAndSwap(false, true) {
		return
	}
	client.scheduleCheck()
}

// scheduleCheck schedules the next checkRuns.
func (client *Client) scheduleCheck() {
	interval := client.stalls.interval()
	client.stallMu.Lock()
	defer client.stallMu.Unlock()
	if client.stallTimer == nil {
		client.stallTimer = time.AfterFunc(interval, client.checkRuns)
	} else {
		client.stallTimer.Reset(interval)
	}
}

// checkRuns is called by the timer.
func (client *Client) checkRuns() {
	s := &client.stalls
	running := client.runs()
	if len(running) == 0 {
		s.calls, s.runs, s.last = nil, nil, time.Time{}
		client.watching.Store(false)
		if len(client.runs()) > 0 { // one began meanwhile
			client.watchRuns()
		}
		return
	}
	s.tick(time.Now())
	s.see(client, running)
	for i := range client.gates {
		client.gates[i].markSeen(s.clock)
	}
	client.behind.markSeen(s.clock)
	if call := s.stuck(); call != nil {
		client.stall(call)
	}
	client.scheduleCheck()
}

// tick advances the clock, but not by a time in which the process could not run, because
// the machine slept or the process was stopped.
func (s *stalls) tick(now time.Time) {
	if s.last.IsZero() {
		s.last = now
	}
	s.clock += min(now.Sub(s.last), 2*s.interval())
	s.last = now
}

// see records what is in flight, and since when.
func (s *stalls) see(client *Client, running []*Run) {
	if s.calls == nil {
		s.calls, s.runs = map[callKey]*callSeen{}, map[*Run]*runSeen{}
	}
	for _, call := range s.calls {
		call.present = false
	}
	for _, run := range s.runs {
		run.present = false
	}
	own := map[int64]*runSeen{}
	for _, r := range running {
		seen := s.runs[r]
		if seen == nil {
			seen = &runSeen{since: s.clock}
			s.runs[r] = seen
		}
		seen.present, seen.calls = true, 0
		own[int64(r.served.ID())] = seen
	}
	note := func(key callKey, name string) {
		run := own[key.run]
		if run == nil {
			return // another client's
		}
		call := s.calls[key]
		if call == nil {
			call = &callSeen{since: s.clock, name: name, run: key.run}
			s.calls[key] = call
			run.since = s.clock // progress
		}
		call.present = true
		run.calls++
	}
	for _, call := range ffi.InFlight() {
		note(callKey{sequence: call.Sequence, run: call.RunID}, call.Name)
	}
	for _, call := range client.group.InFlight() {
		note(callKey{run: call.RunID, callback: call.Callback, begun: call.Since}, call.Callback)
	}
	for key, call := range s.calls {
		if !call.present {
			if run := own[call.run]; run != nil {
				run.since = s.clock // progress
			}
			delete(s.calls, key)
		}
	}
	for r, seen := range s.runs {
		if !seen.present {
			delete(s.runs, r)
		}
	}
}

// stuck returns the oldest call that has been in flight for too long, or nil.
func (s *stalls) stuck() (oldest *callSeen) {
	for _, call := range s.calls {
		if s.clock-call.since >= s.after && (oldest == nil || call.since < oldest.since) {
			oldest = call
		}
	}
	return oldest
}

// stall ends the waits for runs that have made no progress for too long.
func (client *Client) stall(call *callSeen) {
	s := &client.stalls
	err := &StallError{Callback: call.name, RunID: call.run, After: s.after}
	ended := client.behind.reject(s.clock-s.after, err)
	for i := range client.gates {
		ended = client.gates[i].reject(s.clock-s.after, err) || ended
	}
	var last []*Run
	for r, seen := range s.runs {
		switch {
		case s.clock-seen.since < s.after || r.isAbandoned():
		case seen.calls > 0:
			last = append(last, r)
		default:
			r.stall(err)
			ended = true
		}
	}
	// A callback that waited for one of those can return now.
	if ended {
		s.sparedUntil = s.clock + s.after/2
	}
	if s.clock < s.sparedUntil {
		return
	}
	for _, r := range last {
		r.stall(err)
	}
}

// stall ends the wait for the run, if possible.
func (r *Run) stall(err *StallError) {
	if r.abandon(err) {
		return
	}
	// The waiting goroutine is inside XLA. A callback that observes its context returns.
	if r.served.Calls.Fail(err) {
		r.served.Calls.CancelCause(err)
		r.exec.client.logError("bridge: a run makes no progress, and its context cannot end", "run", r.served.ID(), "executable",
			r.exec.name(), "error", err)
	}
}
