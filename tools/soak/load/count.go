package load

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// quiet is a logger that drops the errors of taps that fail on purpose.
var quiet = slog.New(slog.DiscardHandler)

// Count holds the calls of one callback: as counted by the registry, by the function
// itself, and by the runs.
type Count struct {
	Stat        callbacks.Stat
	Called, Sum int64 // counted by the function: its calls, and their payloads

	// What the runs did. The sum of the sampled tap depends on which calls it samples.
	Fired, Dropped, Failed, WantSum int64
	AnySum                          bool
}

// counts holds the counts of every callback.
func (l *load) counts() []Count {
	stats := map[string]callbacks.Stat{}
	for _, s := range l.registry.Stats() {
		stats[s.Callback] = s
	}
	var list []Count
	for _, lane := range l.lanes {
		main, tap := &lane.main, &lane.tap
		fired := tap.fired.Load()
		list = append(list, Count{
			Stat: stats[main.name], Called: main.calls.Load(), Sum: main.sum.Load(),
			Fired: main.fired.Load(), Failed: main.failed.Load(), WantSum: main.wantSum.Load(),
		}, Count{
			Stat: stats[tap.name], Called: tap.calls.Load(), Sum: tap.sum.Load(),
			Fired: fired, Dropped: fired - (fired+every-1)/every, AnySum: true,
		})
	}
	return list
}

// check returns an error if the counts disagree.
func (c Count) check() error {
	s := c.Stat
	want := callbacks.Stat{
		Callback: s.Callback, Registry: s.Registry,
		Fired: c.Fired, Delivered: c.Fired - c.Dropped - c.Failed, Dropped: c.Dropped, Failed: c.Failed,
	}
	switch {
	case s != want:
		return fmt.Errorf("counted are %+v, want %+v", s, want)
	case c.Called != c.Fired-c.Dropped:
		return fmt.Errorf("%s: the function was called %d times, want %d", s.Callback, c.Called, c.Fired-c.Dropped)
	case c.Sum != c.WantSum && !c.AnySum:
		return fmt.Errorf("%s: the calls carried %d in sum, want %d", s.Callback, c.Sum, c.WantSum)
	}
	return nil
}

// check returns an error if calls were lost or made twice, or if memory grew.
func (r *Result) check() error {
	var errs []error
	for _, c := range r.Counts {
		errs = append(errs, c.check())
	}
	if r.Calls() >= warmUp {
		errs = append(errs, CheckFlat(r.Memory))
	}
	return errors.Join(errs...)
}

// Calls returns the number of calls that compiled code made.
func (r *Result) Calls() int64 {
	var n int64
	for _, c := range r.Counts {
		n += c.Stat.Fired
	}
	return n
}

// String returns the result as a table.
func (r *Result) String() string {
	var b strings.Builder
	calls := r.Calls()
	fmt.Fprintf(&b, "%d calls in %d runs in %v, %.2f us a call\n", calls, r.Runs, r.Elapsed.Round(time.Millisecond),
		r.Elapsed.Seconds()*1e6/float64(calls))
	fmt.Fprintf(&b, "%-20s %12s %12s %12s %8s %12s\n", "callback", "fired", "delivered", "dropped", "failed", "called")
	for _, c := range r.Counts {
		s := c.Stat
		fmt.Fprintf(&b, "%-20s %12d %12d %12d %8d %12d\n", s.Callback, s.Fired, s.Delivered, s.Dropped, s.Failed,
			c.Called)
	}
	fmt.Fprintln(&b, Growth(r.Memory))
	return b.String()
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }
