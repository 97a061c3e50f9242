package stress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// settle waits until nothing is in flight, and checks all counts.
func (s *stress) settle(r *Result) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r.Stats = map[string]callbacks.Stat{}
	var errs []error
	for _, h := range s.hosts {
		if err := h.barrier(ctx); err != nil {
			errs = append(errs, err)
			continue
		}
		stats, err := quiet(ctx, h.registry)
		errs = append(errs, err)
		tapsFailed := h.tapsOver.Load()
		for _, l := range h.lanes {
			steady, shaky := stats[l.steady.name], stats[l.shaky.name]
			errs = append(errs, l.steady.exact(steady), l.shaky.plausible(shaky))
			if l.way == callbacks.Async {
				tapsFailed += shaky.Failed
			}
			for _, one := range []callbacks.Stat{steady, shaky} {
				sum := r.Stats[l.way.String()]
				sum.Fired += one.Fired
				sum.Delivered += one.Delivered
				sum.Dropped += one.Dropped
				sum.Failed += one.Failed
				r.Stats[l.way.String()] = sum
				r.Calls += one.Fired
			}
		}
		// The errors of taps in cancelled runs are returned by their runs.
		if reported := h.tapFails.Load(); reported > tapsFailed {
			errs = append(errs,
				fmt.Errorf("barriers reported %d failures of taps, and %d calls failed", reported, tapsFailed))
		}
	}
	return errors.Join(errs...)
}

// quiet returns the counts of a registry once no call is in flight: functions whose time is
// up return late.
func quiet(ctx context.Context, r *callbacks.Registry) (map[string]callbacks.Stat, error) {
	for {
		stats := map[string]callbacks.Stat{}
		inFlight := int64(0)
		for _, one := range r.Stats() {
			one.Failed += one.Expired // both end with an error
			stats[one.Callback] = one
			inFlight += one.InFlight
		}
		if inFlight == 0 {
			return stats, nil
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return stats, fmt.Errorf("%d calls of %s are still in flight: %v", inFlight, r.Name(), callbacks.InFlight())
		}
	}
}

// exact checks the counts of a callback all of whose runs completed.
func (c *counted) exact(s callbacks.Stat) error {
	fired, calls := c.fired.Load(), c.calls.Load()
	if s.Fired != fired || s.Delivered != fired || calls != fired {
		return fmt.Errorf("%s: %+v and %d calls of the function, want %d calls", c.name, s, calls, fired)
	}
	if got, want := c.sum.Load(), c.carry.Load(); got != want {
		return fmt.Errorf("%s: the calls carried %d in sum, want %d", c.name, got, want)
	}
	return nil
}

// plausible checks the counts of a callback whose runs may have ended early.
func (c *counted) plausible(s callbacks.Stat) error {
	fired, calls := c.fired.Load(), c.calls.Load()
	switch {
	case s.Fired != s.Delivered+s.Dropped+s.Failed:
		return fmt.Errorf("%s: the counts %+v disagree", c.name, s)
	case s.Delivered+s.Failed < fired:
		return fmt.Errorf("%s: %+v, and runs that completed made %d calls", c.name, s, fired)
	case calls < s.Delivered || calls > s.Fired:
		return fmt.Errorf("%s: %+v, and the function was called %d times", c.name, s, calls)
	}
	return nil
}

// checkPassing checks the counts of a registry that is closed.
func (h *host) checkPassing(ctx context.Context, r *callbacks.Registry, lanes []*lane) error {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stats, err := quiet(within, r)
	if err != nil {
		return err
	}
	for _, l := range lanes {
		if err := l.shaky.plausible(stats[l.shaky.name]); err != nil {
			return err
		}
		if l.way == callbacks.Async {
			h.tapsOver.Add(stats[l.shaky.name].Failed)
		}
	}
	return nil
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
