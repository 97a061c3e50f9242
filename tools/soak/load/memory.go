package load

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"

	"github.com/calliope-mlir/calliope/internal/host/child"
)

// The greatest growth of memory after the warm-up that is allowed: a fraction of what one
// byte kept for each of ten million calls would be.
const (
	residentBound = 24 << 20
	heapBound     = 4 << 20
)

// warmUp is the number of calls until every pool and queue has reached its size. With fewer
// calls memory is not checked.
const warmUp = 1_000_000

// Memory is one sample of the memory use, in bytes.
type Memory struct {
	Resident int64 // of the process; 0 if the system does not report it
	Heap     int64 // of Go, what a garbage collection found in use
}

// Samples collects samples during the calls. Several goroutines may take them at the same
// time.
type Samples struct {
	mu  sync.Mutex
	all []Memory
}

const numSamples = 100

// after takes a sample after every hundredth of the calls.
func (m *Samples) after(made, of int64) {
	m.mu.Lock()
	due := int64(len(m.all))*of <= made*numSamples
	m.mu.Unlock()
	if due {
		m.Take()
	}
}

// Take runs a garbage collection and takes a sample.
func (m *Samples) Take() {
	// Unlike runtime.MemStats.HeapAlloc, this has nothing that other goroutines allocated since. What they allocate
	// during a collection counts, which takes long on a busy machine, so the least of several collections is taken.
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	s := Memory{resident(), math.MaxInt64}
	for range 12 {
		runtime.GC()
		metrics.Read(live)
		s.Heap = min(s.Heap, int64(live[0].Value.Uint64()))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, s)
}

// All returns the samples.
func (m *Samples) All() []Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Memory(nil), m.all...)
}

// resident returns the memory of the process, or 0 if the system does not report it.
func resident() int64 {
	n, err := child.Resident(os.Getpid())
	if err != nil {
		return 0
	}
	return n
}

// growth returns the highest samples in the first tenth after the warm-up, which is a fifth
// of the calls, and in the last tenth.
func growth(samples []Memory) (before, after Memory) {
	n := len(samples)
	tenth := max(n/10, 1)
	warm := min(n/5, n-tenth)
	return highest(samples[warm : warm+tenth]), highest(samples[n-tenth:])
}

// Growth describes how the memory grew.
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

// CheckFlat returns an error if the memory grew between the warm-up and the end.
func CheckFlat(samples []Memory) error {
	before, after := growth(samples)
	var errs []error
	if grown := after.Resident - before.Resident; grown > residentBound {
		errs = append(errs, fmt.Errorf("the process grew by %.1f MiB after the warm-up, at most %.0f are allowed",
			mib(grown), mib(residentBound)))
	}
	return errors.Join(append(errs, CheckHeap(samples))...)
}

// CheckHeap is CheckFlat for the Go heap alone.
func CheckHeap(samples []Memory) error {
	before, after := growth(samples)
	if grown := after.Heap - before.Heap; grown > heapBound {
		return fmt.Errorf("the Go heap grew by %.1f MiB after the warm-up, at most %.0f are allowed", mib(grown),
			mib(heapBound))
	}
	return nil
}
