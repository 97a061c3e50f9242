// Package metrics publishes the counters of callbacks as an expvar variable. It is a
// separate package because expvar imports net/http and registers the handler of
// /debug/vars, which should be the program's choice.
package metrics

import (
	"errors"
	"expvar"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
)

// Counters are the counters of one callback; see callbacks.Stat. The variable holds a JSON
// list of them in the order of callbacks.Stats.
type Counters struct {
	Registry  string `json:"registry"`
	Callback  string `json:"callback"`
	Fired     int64  `json:"fired"`
	Delivered int64  `json:"delivered"`
	Dropped   int64  `json:"dropped"`
	Failed    int64  `json:"failed"`
	Expired   int64  `json:"expired"` // not called: the run or the time for it had ended
	InFlight  int64  `json:"in_flight"`
	Queued    int64  `json:"queued"` // of those in flight
	Lost      int64  `json:"lost"`   // stopped calls whose functions have not returned

	Measured int64   `json:"measured"` // number of measured calls
	Seconds  float64 `json:"seconds"`  // their total duration
	Longest  float64 `json:"longest"`  // the longest duration, in seconds
}

// Publish publishes the counters of every registry that modules can reach as an expvar
// variable, until the process ends. The counters are read when the variable is read.
// Publish may be called concurrently. It returns an error if the name is empty or taken.
func Publish(name string) error {
	if name == "" {
		return errors.New("metrics: the name of the variable is empty: give one")
	}
	if expvar.Get(name) != nil {
		return fmt.Errorf("metrics: the expvar variable %q exists already: use another name", name)
	}
	expvar.Publish(name, expvar.Func(func() any { return Snapshot() }))
	return nil
}

// Snapshot returns the current counters, as the variable holds them.
func Snapshot() []Counters {
	list := []Counters{} // in JSON an empty list, not null
	for _, s := range callbacks.Stats() {
		list = append(list, Counters{
			Registry: s.Registry, Callback: s.Callback,
			Fired: s.Fired, Delivered: s.Delivered, Dropped: s.Dropped, Failed: s.Failed, Expired: s.Expired,
			InFlight: s.InFlight, Queued: s.Queued, Lost: s.Lost,
			Measured: s.Latency.Count, Seconds: s.Latency.Total.Seconds(), Longest: s.Latency.Max.Seconds(),
		})
	}
	return list
}
