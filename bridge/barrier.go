package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
)

// Barrier waits until every callback of every run that was started before is done, on all
// devices, including queued calls. It returns the errors of taps since the last barrier as
// a *callbacks.TapErrors, or nil if there were none. If ctx ends first, it returns a
// *callbacks.BarrierError, which lists the calls in flight. The name appears in these
// errors. Inside a callback it returns callbacks.ErrBarrierInside.
//
// If a run with runtime tokens (see [Sequence]) failed since the last barrier, Barrier returns
// the first such error, joined with those of taps if there are any, although Wait has returned
// it, too.
func (c *Client) Barrier(ctx context.Context, name string) error {
	c.given("Barrier")
	return c.withFailures(c.group.Barrier(ctx, name), -1, name)
}

// BarrierDevice is like Barrier, but waits only for the runs that use a device and for the
// calls on it. A run on several devices counts for each of them. The errors of other devices
// stay for their barriers.
func (c *Client) BarrierDevice(ctx context.Context, device int, name string) error {
	c.given("BarrierDevice")
	if device < 0 || device >= c.NumDevices() {
		return fmt.Errorf("bridge: barrier %q: there is no device %d; the client has %d, numbered from 0", name, device,
			c.NumDevices())
	}
	return c.withFailures(c.group.BarrierDevice(ctx, device, name), device, name)
}

// withFailures adds the first error of a run to the error of a barrier, unless the barrier
// did not wait to its end.
func (c *Client) withFailures(err error, device int, name string) error {
	taps, ok := err.(*callbacks.TapErrors)
	if err != nil && !ok {
		return err
	}
	failed := c.failed.take(device, name)
	if failed == nil || taps == nil {
		return cmp.Or(failed, err)
	}
	return errors.Join(failed, err)
}

// failedRuns keeps the first error of the runs with runtime tokens on each device, since the
// last barrier.
type failedRuns struct {
	mu    sync.Mutex
	count int
	first map[int]failure // by device
}

type failure struct {
	number int // of failures before it
	run    int32
	name   string // of the executable
	err    error
}

// add keeps the error of a run.
func (f *failedRuns) add(r *Run, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	devices := r.exec.devices
	if devices == nil {
		devices = []int{r.device}
	}
	for _, device := range devices {
		if _, has := f.first[device]; has {
			continue
		}
		if f.first == nil {
			f.first = map[int]failure{}
		}
		f.first[device] = failure{f.count, r.served.ID(), r.exec.name(), err}
	}
}

// take returns the first error on a device, or on all if device is negative, and forgets
// the errors.
func (f *failedRuns) take(device int, barrier string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var first *failure
	for on, e := range f.first {
		if device >= 0 && on != device {
			continue
		}
		delete(f.first, on)
		if first == nil || e.number < first.number {
			first = &e
		}
	}
	if first == nil {
		return nil
	}
	return fmt.Errorf("bridge: barrier %q: run %d of executable %q failed: %w", barrier, first.run, first.name,
		first.err)
}

// WaitAll waits for all runs and returns their errors, joined by errors.Join in the order of
// the runs, or nil if there are none. The outputs of a run are returned by a further
// [Run.Wait], and the caller must close them. If ctx ends first, WaitAll ends the waits for
// all runs that are not over, as Wait does.
func WaitAll(ctx context.Context, runs ...*Run) error {
	for i, r := range runs {
		if r == nil {
			return fmt.Errorf("bridge: WaitAll: run %d is nil; look at the error that Start returned with it", i)
		}
		r.given("Wait")
	}
	if ctx == nil {
		return dispatch.Ended(ctx)
	}
	errs := make([]error, len(runs))
	for i, r := range runs {
		if !r.outcome.Until(ctx) {
			endWaits(ctx.Err(), runs[i:])
			break
		}
	}
	for i, r := range runs {
		_, errs[i] = r.outcome.Result()
	}
	return errors.Join(errs...)
}

// endWaits abandons the runs and gives them together the time that each has to end; see
// grace.
func endWaits(err error, runs []*Run) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	var waiting []*Run
	for _, r := range runs {
		if r.abandon(err) {
			waiting = append(waiting, r)
		}
	}
	for _, r := range waiting {
		select {
		case <-r.Done():
		case <-timer.C:
			return
		}
	}
}
