package dispatch

import (
	"slices"
	"sync/atomic"
)

// observer is what ObserveRuns was given.
type observer struct{ begin, end func(*Run) }

// observers are those of the process. The list is replaced and never changed: a run
// looks at it without a lock.
var observers atomic.Pointer[[]*observer]

// ObserveRuns has begin called when a run of any group has begun, and end when it is
// over, once for each, until stop is called. They are called by whoever begins and ends
// the run, for several runs at once, and must not wait for a run. A run that is under way
// already is seen only when it ends.
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
