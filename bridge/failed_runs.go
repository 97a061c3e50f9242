package bridge

import (
	"fmt"
	"sync"
)

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
		f.first[device] = failure{f.count, r.id, r.exec.name(), err}
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
	return fmt.Errorf("bridge: barrier %q: run %d of executable %q failed: %w", barrier, first.run, first.name, first.err)
}
