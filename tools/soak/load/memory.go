package load

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
)

// The most that memory may grow from after the warm-up to the end: a fraction of what a
// single byte kept for each of ten million calls would be.
const (
	residentBound = 24 << 20
	heapBound     = 4 << 20
)

// warmUp is how many calls it takes until every pool and queue has its size: of fewer
// calls nothing is said.
const warmUp = 1_000_000

// Memory is one sample, in bytes.
type Memory struct {
	Resident int64 // of the process; 0 where the system does not tell
	Heap     int64 // of Go, after a collection
}

// memory takes samples as calls go on.
type memory struct {
	mu      sync.Mutex
	samples []Memory
}

const numSamples = 100

// after takes a sample where another hundredth of the calls is made.
func (m *memory) after(made, of int64) {
	m.mu.Lock()
	due := int64(len(m.samples))*of <= made*numSamples
	m.mu.Unlock()
	if due {
		m.sample()
	}
}

func (m *memory) sample() {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	s := Memory{resident(), int64(stats.HeapAlloc)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.samples = append(m.samples, s)
}

// resident is the memory of the process, by Linux.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// memoryGrowth is the highest samples in the first tenth after the warm-up, which is a
// fifth, and in the last tenth.
func (r *Result) memoryGrowth() (before, after Memory) {
	n := len(r.Memory)
	tenth := max(n/10, 1)
	warm := min(n/5, n-tenth)
	return highest(r.Memory[warm : warm+tenth]), highest(r.Memory[n-tenth:])
}

func highest(samples []Memory) (h Memory) {
	for _, s := range samples {
		h.Resident, h.Heap = max(h.Resident, s.Resident), max(h.Heap, s.Heap)
	}
	return h
}

func (r *Result) checkMemory() error {
	before, after := r.memoryGrowth()
	var errs []error
	if grown := after.Resident - before.Resident; grown > residentBound {
		errs = append(errs, fmt.Errorf("the process grew by %.1f MiB after the warm-up, at most %.0f are allowed", mib(grown), mib(residentBound)))
	}
	if grown := after.Heap - before.Heap; grown > heapBound {
		errs = append(errs, fmt.Errorf("the Go heap grew by %.1f MiB after the warm-up, at most %.0f are allowed", mib(grown), mib(heapBound)))
	}
	return errors.Join(errs...)
}
