package bridge

import (
	"fmt"
	"time"

	"github.com/calliope-mlir/calliope/internal/ffi"
)

// StallError is a run that waited for longer than ClientOptions.StallAfter while a
// callback of the same client was called and did not return: most often that callback
// waits for the very run, or for one that stands behind it.
type StallError struct {
	Callback string // that has not returned, its name or "id N"
	RunID    int64  // the run that called it
	After    time.Duration
}

func (e *StallError) Error() string {
	return fmt.Sprintf("bridge: the run waited for %v behind callback %q of run %d, which has not returned: a callback that runs modules, or waits for somebody who does, is to use the client that bridge.InnerClient gives (ClientOptions.StallAfter is the limit)",
		e.After, e.Callback, e.RunID)
}

// Timeout is true, as net.Error has it.
func (e *StallError) Timeout() bool { return true }

// Name implements ffi.Named.
func (s *site) Name() string { return s.name }

// Name implements ffi.Named.
func (s *wordsSite) Name() string { return s.call.name }

// Name implements ffi.Named.
func (s *operandSite) Name() string { return s.config.Name() }

const defaultStall = 30 * time.Second

// stallTicks is how often in a client's limit its runs are looked at.
const stallTicks = 8

// stalls looks for runs of a client that stand still. A call or a run costs nothing by
// that: what is under way is looked at from time to time, while there are runs.
type stalls struct {
	after time.Duration // 0 is never

	// Of the timer's function alone. The clock stands while the process does.
	clock, spare time.Duration // until spare, runs that wait for their own callback are left alone
	last         time.Time
	calls        map[callKey]*callSeen
	runs         map[*Run]*runSeen
}

// callKey is a call: one on a thread by its sequence, another by when it began.
type callKey struct {
	sequence uint64
	run      int64
	callback string
	begun    time.Time
}

type callSeen struct {
	since time.Duration
	name  string
	run   int64
	here  bool // still
}

type runSeen struct {
	since time.Duration // since when it has stood still, as far as is known
	calls int           // of its own that are under way
	here  bool
}

// interval is the time between two looks.
func (s *stalls) interval() time.Duration { return max(s.after/stallTicks, time.Millisecond) }

// watchRuns has the client's runs looked at while there are any.
func (client *Client) watchRuns() {
	if client.stalls.after == 0 || client.watching.Load() || !client.watching.CompareAndSwap(false, true) {
		return
	}
	client.lookLater()
}

// lookLater has lookAtRuns called.
func (client *Client) lookLater() {
	interval := client.stalls.interval()
	client.stallMu.Lock()
	defer client.stallMu.Unlock()
	if client.stallTimer == nil {
		client.stallTimer = time.AfterFunc(interval, client.lookAtRuns)
	} else {
		client.stallTimer.Reset(interval)
	}
}

// lookAtRuns is called by the timer.
func (client *Client) lookAtRuns() {
	s := &client.stalls
	running := client.runs()
	if len(running) == 0 {
		s.calls, s.runs, s.last = nil, nil, time.Time{}
		client.watching.Store(false)
		if len(client.runs()) > 0 { // one came meanwhile
			client.watchRuns()
		}
		return
	}
	s.tick(time.Now())
	s.see(client, running)
	for i := range client.gates {
		client.gates[i].see(s.clock)
	}
	if call := s.stuck(); call != nil {
		client.stall(call)
	}
	client.lookLater()
}

// tick moves the clock on, but not by a time in which nobody could run: that of a
// machine that slept, or of a process that was stopped.
func (s *stalls) tick(now time.Time) {
	if s.last.IsZero() {
		s.last = now
	}
	s.clock += min(now.Sub(s.last), 2*s.interval())
	s.last = now
}

// see notes what is under way, and since when.
func (s *stalls) see(client *Client, running []*Run) {
	if s.calls == nil {
		s.calls, s.runs = map[callKey]*callSeen{}, map[*Run]*runSeen{}
	}
	for _, call := range s.calls {
		call.here = false
	}
	for _, run := range s.runs {
		run.here = false
	}
	own := map[int64]*runSeen{}
	for _, r := range running {
		seen := s.runs[r]
		if seen == nil {
			seen = &runSeen{since: s.clock}
			s.runs[r] = seen
		}
		seen.here, seen.calls = true, 0
		own[int64(r.id)] = seen
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
			run.since = s.clock // it gets on
		}
		call.here = true
		run.calls++
	}
	for _, call := range ffi.InFlight() {
		note(callKey{sequence: call.Sequence, run: call.RunID}, call.Name)
	}
	for _, call := range client.group.InFlight() {
		note(callKey{run: call.RunID, callback: call.Callback, begun: call.Since}, call.Callback)
	}
	for key, call := range s.calls {
		if !call.here {
			if run := own[call.run]; run != nil {
				run.since = s.clock // it got on
			}
			delete(s.calls, key)
		}
	}
	for r, seen := range s.runs {
		if !seen.here {
			delete(s.runs, r)
		}
	}
}

// stuck is the oldest call that has been under way for too long.
func (s *stalls) stuck() (oldest *callSeen) {
	for _, call := range s.calls {
		if s.clock-call.since >= s.after && (oldest == nil || call.since < oldest.since) {
			oldest = call
		}
	}
	return oldest
}

// stall ends the waits for runs that have stood still for too long.
func (client *Client) stall(call *callSeen) {
	s := &client.stalls
	err := &StallError{Callback: call.name, RunID: call.run, After: s.after}
	ended := false
	for i := range client.gates {
		ended = client.gates[i].sendAway(s.clock-s.after, err) || ended
	}
	var last []*Run
	for r, seen := range s.runs {
		switch {
		case s.clock-seen.since < s.after || r.left():
		case seen.calls > 0:
			last = append(last, r)
		default:
			r.stall(err)
			ended = true
		}
	}
	// A callback that waited for one of those now can return.
	if ended {
		s.spare = s.clock + s.after/2
	}
	if s.clock < s.spare {
		return
	}
	for _, r := range last {
		r.stall(err)
	}
}

// stall ends the wait for the run, if anything can.
func (r *Run) stall(err *StallError) {
	if r.leave(err) {
		return
	}
	// Whoever waits is inside of XLA. A callback that listens to its context ends.
	if r.calls.Fail(err) {
		r.calls.CancelCause(err)
		logError("bridge: a run stands still, and its context cannot end", "run", r.id, "executable", r.exec.name(), "error", err)
	}
}
