package dispatch

import (
	"slices"
	"sync/atomic"
)

// observer holds the functions given to ObserveRuns.
type observer struct{ begin, end func(*Run) }

// observers are the observers of the process. The list is replaced and never changed, so
// that a run can read it without a lock.
var observers atomic.Pointer[[]*observer]

// ObserveRuns calls begin when a run of any group has started, and end when it is done,
// once for each run, until stop is called. They are called by the goroutines that begin and
// end the runs, concurrently for several runs, and must not wait for a run. For a run that
// is already in flight only end is called.
func ObserveRuns(begin, end func(*Run)) (stop func()) {
	this := &observer{begin, end}
	replaceObservers(func(list []*observer) []*observer { return append(slices.Clone(list), this) })
	return func() {
		replaceObservers(func(list []*observer) []*observer {
			return slices.DeleteFunc(slices.Clone(list), func(o *observer) bool { return o == this })
		})
	}
}

func replaceObservers(change func([]*observer) []*observer) {
	for {
		old := observers.Load()
		var list []*observer
		if old != nil {
			list = *old
		}
		next := change(list)
		if observers.CompareAndSwap(old, &next) {
			return
		}
	}
}

func (r *Run) began() {
	if list := observers.Load(); list != nil {
		for _, o := range *list {
			o.begin(r)
		}
	}
}

func (r *Run) ended() {
	if list := observers.Load(); list != nil {
		for _, o := range *list {
			o.end(r)
		}
	}
}
