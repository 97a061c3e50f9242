package front

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/dl"
)

// A Sample is what the process holds while no call is made.
type Sample struct {
	At          time.Duration
	Resident    int64 // bytes of the process; 0 if the system does not report it
	Allocated   int64 // bytes that C and C++ have allocated and not freed; 0 if the C library does not count them
	Heap        int64 // bytes of Go that a garbage collection found in use
	Goroutines  int64
	Threads     int64 // 0 if the system does not report it
	Descriptors int64
}

// Header is the first line of a table of samples.
const Header = "   after  resident MiB  malloc MiB  Go heap MiB  goroutines  threads  descriptors"

func (s Sample) String() string {
	return fmt.Sprintf("%8v %13.1f %11.2f %12.2f %11d %8d %12d", s.At.Round(time.Second), mib(s.Resident),
		mib(s.Allocated), mib(s.Heap), s.Goroutines, s.Threads, s.Descriptors)
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }

// settle is how long late functions and idle memory get to end.
const settle = 2 * time.Second

// take takes a sample. It waits for goroutines that end soon.
func take() (s Sample) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for end := time.Now().Add(settle); ; time.Sleep(settle / 20) {
		runtime.GC()
		metrics.Read(live)
		now := Sample{Heap: int64(live[0].Value.Uint64()), Goroutines: int64(runtime.NumGoroutine())}
		if s.Heap == 0 {
			s = now
		}
		s.Heap, s.Goroutines = min(s.Heap, now.Heap), min(s.Goroutines, now.Goroutines)
		if time.Now().After(end) {
			break
		}
	}
	dl.Trim() // package trim does so in a while, at most a hundred times as long as it takes
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		_, _ = fmt.Sscanf(line, "VmRSS: %d kB", &s.Resident)
		_, _ = fmt.Sscanf(line, "Threads: %d", &s.Threads)
	}
	s.Resident *= 1 << 10
	s.Allocated = dl.Allocated()
	open, _ := os.ReadDir("/proc/self/fd")
	s.Descriptors = int64(len(open))
	return s
}

// fewest is the number of samples from which on they are checked.
const fewest = 10

// A quantity is what must not grow.
type quantity struct {
	what  string
	of    func(Sample) int64
	bound int64 // of the growth in the second half of the samples
	unit  int64
}

// Two things grow and end: a client of XLA keeps the plans of 1024 transpositions, each of about 1.3 KiB, one for each
// shape that is copied to a device, and package jit has a context of MLIR that keeps about 3 MiB of types and
// constants before a new one takes its place.
var quantities = []quantity{
	{"MiB of memory", func(s Sample) int64 { return s.Resident }, 12 << 20, 1 << 20},
	{"MiB of malloc", func(s Sample) int64 { return s.Allocated }, 4 << 20, 1 << 20},
	{"KiB of Go's heap", func(s Sample) int64 { return s.Heap }, 256 << 10, 1 << 10},
	{"goroutines", func(s Sample) int64 { return s.Goroutines }, 2, 1},
	{"threads", func(s Sample) int64 { return s.Threads }, 2, 1},
	{"descriptors", func(s Sample) int64 { return s.Descriptors }, 2, 1},
}

// secondHalf returns the samples that are checked.
func secondHalf(samples []Sample) []Sample {
	if len(samples) < fewest {
		return nil
	}
	return samples[len(samples)/2:]
}

// CheckFlat returns an error if something grows in the second half of the samples. It takes the median of the slopes
// between all pairs, which a few high samples do not change.
func CheckFlat(samples []Sample) error {
	half := secondHalf(samples)
	if half == nil {
		return nil
	}
	var errs []error
	for _, q := range quantities {
		if grown := growth(half, q.of); grown > float64(q.bound) {
			errs = append(errs, fmt.Errorf("the process grew by %.1f %s in the second half, at most %d are allowed",
				grown/float64(q.unit), q.what, q.bound/q.unit))
		}
	}
	return errors.Join(errs...)
}

// Growth describes how each quantity grew in the second half of the samples, or says that there are too few.
func Growth(samples []Sample) string {
	half := secondHalf(samples)
	if half == nil {
		return fmt.Sprintf("there are fewer than %d samples: nothing is checked\n", fewest)
	}
	took := half[len(half)-1].At - half[0].At
	text := fmt.Sprintf("growth in the last %v, by the slope:\n", took.Round(time.Second))
	for _, q := range quantities {
		grown := growth(half, q.of) / float64(q.unit)
		text += fmt.Sprintf("%+10.2f %s, %+.3f a minute (allowed: %d)\n", grown, q.what, grown/took.Minutes(),
			q.bound/q.unit)
	}
	return text
}

// growth returns by how much something grows from the first sample to the last one, by the Theil-Sen estimator.
func growth(samples []Sample, of func(Sample) int64) float64 {
	var slopes []float64
	for i, a := range samples {
		for _, b := range samples[i+1:] {
			slopes = append(slopes, float64(of(b)-of(a))/float64(b.At-a.At))
		}
	}
	slices.SortFunc(slopes, cmp.Compare)
	return slopes[len(slopes)/2] * float64(samples[len(samples)-1].At-samples[0].At)
}
