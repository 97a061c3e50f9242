package callbacks

import (
	"cmp"
	"slices"
	"time"
)

// Stat has the counters of one callback. Fired is the sum of Delivered, Dropped, Failed, Expired
// and InFlight. The elements of a batch that is called in parallel are calls, but the batch is one of InFlight, and in
// Latency.
type Stat struct {
	Callback string // the name, or "id N"
	Registry string

	Fired     int64 // calls that compiled code made
	Delivered int64 // calls whose function returned without an error
	Dropped   int64 // calls not made: no function, skipped by Every or PerSecond, or another one had failed
	Failed    int64 // calls that ended with an error
	Expired   int64 // calls whose function was not called, because the run or the time for it had ended
	InFlight  int64 // calls in a queue, on a goroutine, or kept for PerSecond; inline calls only if measured

	Queued int64 // calls of InFlight that wait in a queue or for a worker
	Lost   int64 // functions that have not returned after their calls were stopped

	Latency Latency // only with Options.Measure
}

// Latency says how long measured calls took, including the time in a queue.
type Latency struct {
	Count      int64
	Total, Max time.Duration
}

// Stats returns the counters of each callback that a module was bound to, sorted by name.
// Those of a callback that was unregistered end when the last module that is bound to it is
// closed, and its calls are over. The counters of one callback are not read atomically: calls
// may go on meanwhile.
func (r *Registry) Stats() []Stat { return engine.Stats(r) }

// Stats returns the counters of every registry that modules can reach.
func Stats() []Stat {
	registries.RLock()
	defer registries.RUnlock()
	var list []Stat
	for _, r := range registries.byName {
		list = append(list, r.Stats()...)
	}
	slices.SortFunc(list, func(a, b Stat) int {
		return cmp.Or(cmp.Compare(a.Registry, b.Registry), cmp.Compare(a.Callback, b.Callback))
	})
	return list
}

// QueueState describes the calls of a registry that do not run on the runtime's threads.
type QueueState struct {
	Registry    string
	Queued      int // calls that wait in a queue or for a worker
	QueuedBytes int // bytes in copies of Async calls; limited by RegistryOptions.QueueBytes
	Running     int // functions on workers
	Lost        int // functions that have not returned after their calls were stopped
}

// QueueState returns the state of the registry's queues and workers.
func (r *Registry) QueueState() QueueState {
	state, _ := engine.QueueState(r)
	return state
}

// QueueStates returns the state of every registry that modules can reach and that has
// called a function on a worker.
func QueueStates() []QueueState {
	registries.RLock()
	defer registries.RUnlock()
	var list []QueueState
	for _, r := range registries.byName {
		if state, used := engine.QueueState(r); used {
			list = append(list, state)
		}
	}
	slices.SortFunc(list, func(a, b QueueState) int { return cmp.Compare(a.Registry, b.Registry) })
	return list
}
