package bridge

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/calliope-mlir/calliope/c"
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

// Name implements c.Named.
func (s *site) Name() string { return s.name }

// Name implements c.Named.
func (s *wordsSite) Name() string { return s.call.name }

// Name implements c.Named.
func (s *operandSite) Name() string { return s.config.Name() }

const defaultStall = 30 * time.Second

// stallTicks is how often in a client's limit its runs are looked at.
const stallTicks = 8

// stalls looks for runs of a client that stand still. A call or a run costs nothing by
// that: what is under way is looked at from time to time, while there are runs.
type stalls struct {
	after time.Duration // 0 is never

	// Of the timer's function alone:
	calls map[callKey]*callSeen
	runs  map[*Run]*runSeen
	spare time.Time // until then runs that wait for their own callback are left alone
}

// callKey is a call: one on a thread by its sequence, another by when it began.
type callKey struct {
	sequence uint64
	run      int64
	callback string
	since    time.Time
}

type callSeen struct {
	since time.Time
	name  string
	run   int64
	here  bool // still
}

type runSeen struct {
	since time.Time // since when it has stood still, as far as is known
	calls int       // of its own that are under way
	here  bool
}

// watchRuns has the client's runs looked at while there are any.
func (client *Client) watchRuns() {
	if client.stalls.after == 0 || client.watching.Load() || !client.watching.CompareAndSwap(false, true) {
		return
	}
	client.lookLater()
}

// lookLater has lookAtRuns called.
func (client *Client) lookLater() {
	interval := max(client.stalls.after/stallTicks, time.Millisecond)
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
	now := time.Now()
	running := client.runs()
	waiting := 0
	for i := range client.gates {
		waiting += client.gates[i].waiting()
	}
	if len(running) == 0 && waiting == 0 {
		s.calls, s.runs = nil, nil
		client.watching.Store(false)
		if len(client.runs()) == 0 {
			return
		}
		client.watchRuns() // one came meanwhile
		return
	}
	s.see(now, client, running)
	if call := s.stuck(now); call != nil {
		client.stall(now, call)
	}
	client.lookLater()
}

// see notes what is under way, and since when.
func (s *stalls) see(now time.Time, client *Client, running []*Run) {
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
			seen = &runSeen{since: now}
			s.runs[r] = seen
		}
		seen.here, seen.calls = true, 0
		own[int64(r.id)] = seen
	}
	note := func(key callKey, name string, since time.Time) {
		run := own[key.run]
		if run == nil {
			return // another client's
		}
		call := s.calls[key]
		if call == nil {
			call = &callSeen{since: since, name: name, run: key.run}
			s.calls[key] = call
			run.since = now // it gets on
		}
		call.here = true
		run.calls++
	}
	for _, call := range c.Underway() {
		note(callKey{sequence: call.Sequence, run: call.RunID}, call.Name, now)
	}
	for _, call := range client.group.Waiting() {
		note(callKey{run: call.RunID, callback: call.Callback, since: call.Since}, call.Callback, now)
	}
	for key, call := range s.calls {
		if !call.here {
			if run := own[call.run]; run != nil {
				run.since = now // it got on
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
func (s *stalls) stuck(now time.Time) (oldest *callSeen) {
	for _, call := range s.calls {
		if now.Sub(call.since) >= s.after && (oldest == nil || call.since.Before(oldest.since)) {
			oldest = call
		}
	}
	return oldest
}

// stall ends the waits for runs that have stood still for too long.
func (client *Client) stall(now time.Time, call *callSeen) {
	s := &client.stalls
	err := &StallError{Callback: call.name, RunID: call.run, After: s.after}
	ended := false
	for i := range client.gates {
		ended = client.gates[i].sendAway(now.Add(-s.after), err) || ended
	}
	var last []*Run
	for r, seen := range s.runs {
		switch {
		case now.Sub(seen.since) < s.after || r.left():
		case seen.calls > 0:
			last = append(last, r)
		default:
			r.stall(err)
			ended = true
		}
	}
	// A callback that waited for one of those now can return.
	if ended {
		s.spare = now.Add(s.after / 2)
	}
	if now.Before(s.spare) {
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
	if r.failure.CompareAndSwap(nil, &failure{err}) {
		r.calls.CancelCause(err)
		slog.Error("bridge: a run stands still, and its context cannot end", "run", r.id, "executable", r.exec.name(), "error", err)
	}
}
