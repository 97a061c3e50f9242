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

// settle waits until nothing is under way any more, and holds all counts against what
// they must be.
func (s *stress) settle(r *Result) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r.Stats = map[string]callbacks.Stat{}
	var errs []error
	for _, h := range s.houses {
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
		// Those of runs that were cancelled are told by their runs.
		if told := h.tapFails.Load(); told > tapsFailed {
			errs = append(errs, fmt.Errorf("barriers told %d failures of taps, and %d calls failed", told, tapsFailed))
		}
	}
	return errors.Join(errs...)
}

// quiet is the counts of a registry once no call is under way: functions whose time was
// up come back late.
func quiet(ctx context.Context, r *callbacks.Registry) (map[string]callbacks.Stat, error) {
	for {
		stats := map[string]callbacks.Stat{}
		underway := int64(0)
		for _, one := range r.Stats() {
			stats[one.Callback] = one
			underway += one.Underway
		}
		if underway == 0 {
			return stats, nil
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return stats, fmt.Errorf("%d calls of %s are under way still: %v", underway, r.Name(), callbacks.Waiting())
		}
	}
}

// exact holds the counts of a callback all of whose runs came to their end.
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

// plausible holds those of a callback whose runs ended anyhow.
func (c *counted) plausible(s callbacks.Stat) error {
	fired, calls := c.fired.Load(), c.calls.Load()
	switch {
	case s.Fired != s.Delivered+s.Dropped+s.Failed:
		return fmt.Errorf("%s: the counts %+v do not add up", c.name, s)
	case s.Delivered+s.Failed < fired:
		return fmt.Errorf("%s: %+v, and runs that came to their end made %d calls", c.name, s, fired)
	case calls < s.Delivered || calls > s.Fired:
		return fmt.Errorf("%s: %+v, and the function was called %d times", c.name, s, calls)
	}
	return nil
}

// checkPassing holds the counts of a registry that is gone.
func (h *house) checkPassing(ctx context.Context, r *callbacks.Registry, lanes []*lane) error {
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
