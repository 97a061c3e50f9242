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

// Samples are taken as calls go on. They may be taken by several goroutines.
type Samples struct {
	mu  sync.Mutex
	all []Memory
}

const numSamples = 100

// after takes a sample where another hundredth of the calls is made.
func (m *Samples) after(made, of int64) {
	m.mu.Lock()
	due := int64(len(m.all))*of <= made*numSamples
	m.mu.Unlock()
	if due {
		m.Take()
	}
}

// Take collects garbage and takes a sample.
func (m *Samples) Take() {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	s := Memory{resident(), int64(stats.HeapAlloc)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, s)
}

// All is the samples that were taken.
func (m *Samples) All() []Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Memory(nil), m.all...)
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

// growth is the highest samples in the first tenth after the warm-up, which is a fifth,
// and in the last tenth.
func growth(samples []Memory) (before, after Memory) {
	n := len(samples)
	tenth := max(n/10, 1)
	warm := min(n/5, n-tenth)
	return highest(samples[warm : warm+tenth]), highest(samples[n-tenth:])
}

// Growth is how memory grew, in words.
func Growth(samples []Memory) string {
	before, after := growth(samples)
	return fmt.Sprintf("memory in MiB, the highest of a tenth of the samples: resident %.1f after warm-up, %.1f at the end; Go heap %.2f and %.2f",
		mib(before.Resident), mib(after.Resident), mib(before.Heap), mib(after.Heap))
}

func highest(samples []Memory) (h Memory) {
	for _, s := range samples {
		h.Resident, h.Heap = max(h.Resident, s.Resident), max(h.Heap, s.Heap)
	}
	return h
}

// CheckFlat is an error where memory grew from after the warm-up to the end.
func CheckFlat(samples []Memory) error {
	before, after := growth(samples)
	var errs []error
	if grown := after.Resident - before.Resident; grown > residentBound {
		errs = append(errs, fmt.Errorf("the process grew by %.1f MiB after the warm-up, at most %.0f are allowed", mib(grown), mib(residentBound)))
	}
	if grown := after.Heap - before.Heap; grown > heapBound {
		errs = append(errs, fmt.Errorf("the Go heap grew by %.1f MiB after the warm-up, at most %.0f are allowed", mib(grown), mib(heapBound)))
	}
	return errors.Join(errs...)
}
