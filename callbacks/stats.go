package callbacks

import (
	"cmp"
	"slices"
	"time"
)

// Stat is what became of the calls of one callback: Fired is Delivered, Dropped,
// Failed and Underway together.
type Stat struct {
	Callback string // the name, or "id N"
	Registry string

	Fired     int64 // calls that compiled code made
	Delivered int64 // calls whose function returned without an error
	Dropped   int64 // calls not made: nobody bound, not their turn, or another device had failed
	Failed    int64 // calls that ended with an error
	Underway  int64 // calls in a queue or on a goroutine; inline ones only when measured

	Queued int64 // of those under way, calls that wait in a queue or for a worker
	Lost   int64 // functions that have not returned though their calls were given up

	Latency Latency // with Options.Measure
}

// Latency is how long measured calls took, the time in a queue included.
type Latency struct {
	Count      int64
	Total, Max time.Duration
}

// Stats is what became of the calls of each callback that a module was bound to, by
// name. The numbers of one callback are read one after the other while calls go on.
func (r *Registry) Stats() []Stat { return engine.Stats(r) }

// Stats is that of every registry that modules can reach.
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

// QueueState is what the calls of a registry that do not run on the runtime's threads
// take.
type QueueState struct {
	Registry    string
	Queued      int // calls that wait in a queue or for a worker
	QueuedBytes int // what Async calls hold in copies; RegistryOptions.QueueBytes is the limit
	Running     int // functions on workers
	Lost        int // functions that have not returned though their calls were given up
}

// QueueState is the state of the registry's queues and workers.
func (r *Registry) QueueState() QueueState {
	state, _ := engine.QueueState(r)
	return state
}

// QueueStates is that of every registry that modules can reach and that has called a
// function on a worker.
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
