// Package metrics publishes the counters of callbacks as an expvar variable. It is a
// package of its own because expvar brings net/http with it, and the handler of
// /debug/vars, which a program should ask for.
package metrics

import (
	"errors"
	"expvar"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
)

// Counters are those of one callback; see callbacks.Stat. They are what the variable
// holds, as a JSON list in the order of callbacks.Stats.
type Counters struct {
	Registry  string `json:"registry"`
	Callback  string `json:"callback"`
	Fired     int64  `json:"fired"`
	Delivered int64  `json:"delivered"`
	Dropped   int64  `json:"dropped"`
	Failed    int64  `json:"failed"`
	Underway  int64  `json:"underway"`
	Queued    int64  `json:"queued"` // of those under way
	Lost      int64  `json:"lost"`   // given up, and their functions have not returned

	Measured int64   `json:"measured"` // calls that the two times are of
	Seconds  float64 `json:"seconds"`  // that they took together
	Longest  float64 `json:"longest"`  // seconds of the longest one
}

// Publish publishes the counters of every registry that modules can reach under a
// name, for as long as the process lives; they are read when the variable is. It may
// be called concurrently. A name that is taken, or empty, is an error.
func Publish(name string) error {
	if name == "" {
		return errors.New("metrics: the variable needs a name")
	}
	if expvar.Get(name) != nil {
		return fmt.Errorf("metrics: there is an expvar variable %q already: take another name", name)
	}
	expvar.Publish(name, expvar.Func(func() any { return Snapshot() }))
	return nil
}

// Snapshot is what the variable holds at this moment.
func Snapshot() []Counters {
	list := []Counters{} // in JSON an empty list, not null
	for _, s := range callbacks.Stats() {
		list = append(list, Counters{
			Registry: s.Registry, Callback: s.Callback,
			Fired: s.Fired, Delivered: s.Delivered, Dropped: s.Dropped, Failed: s.Failed, Underway: s.Underway, Queued: s.Queued, Lost: s.Lost,
			Measured: s.Latency.Count, Seconds: s.Latency.Total.Seconds(), Longest: s.Latency.Max.Seconds(),
		})
	}
	return list
}
