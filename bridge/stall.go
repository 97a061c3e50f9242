package bridge

import (
	"fmt"
	"slices"
	"time"

	"github.com/calliope-mlir/calliope/bridge/internal/stall"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
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

// watchRuns starts the checks of the client's runs, which go on while there are any.
func (client *Client) watchRuns() {
	if client.stalls.After == 0 || client.watching.Load() || !client.watching.CompareAndSwap(false, true) {
		return
	}
	client.scheduleCheck()
}

// scheduleCheck schedules the next checkRuns.
func (client *Client) scheduleCheck() {
	interval := client.stalls.Interval()
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
	w := &client.stalls
	running := client.runs()
	if len(running) == 0 {
		w.Reset()
		client.watching.Store(false)
		if len(client.runs()) > 0 { // one began meanwhile
			client.watchRuns()
		}
		return
	}
	ids := make([]int64, len(running))
	for i, r := range running {
		ids[i] = int64(r.served.ID())
	}
	w.Look(time.Now(), ids, client.inFlight())
	for i := range client.gates {
		client.gates[i].MarkSeen(w.Clock())
	}
	client.behind.MarkSeen(w.Clock())
	if callback, run, stuck := w.Stuck(); stuck {
		client.stall(running, &StallError{Callback: callback, RunID: run, After: w.After})
	}
	client.scheduleCheck()
}

// inFlight returns the calls on XLA's threads, also those of other clients, and those of the client on goroutines.
func (client *Client) inFlight() (list []stall.Call) {
	for _, c := range ffi.InFlight() {
		list = append(list, stall.Call{Key: stall.Key{Sequence: c.Sequence, Run: c.RunID}, Name: c.Name})
	}
	for _, c := range client.group.InFlight() {
		key := stall.Key{Run: c.RunID, Callback: c.Callback, Begun: c.Since}
		list = append(list, stall.Call{Key: key, Name: c.Callback})
	}
	return list
}

// stall ends the waits for runs that have made no progress for too long.
func (client *Client) stall(running []*Run, err *StallError) {
	by := client.stalls.Clock() - err.After
	ended := client.behind.Reject(by, err)
	for i := range client.gates {
		ended = client.gates[i].Reject(by, err) || ended
	}
	client.stalls.End(ended, func(id int64) bool {
		i := slices.IndexFunc(running, func(r *Run) bool { return int64(r.served.ID()) == id })
		if running[i].outcome.Abandoned() {
			return false
		}
		running[i].stall(err)
		return true
	})
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
