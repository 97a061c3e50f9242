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

	"github.com/calliope-mlir/calliope/internal/dl"
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

// CheckFlat returns an error if something grows in the second half of the samples. It takes the median of the slopes
// between all pairs, which a few high samples do not change.
func CheckFlat(samples []Sample) error {
	if len(samples) < fewest {
		return nil
	}
	half := samples[len(samples)/2:]
	var errs []error
	for _, one := range []struct {
		what  string
		of    func(Sample) int64
		bound int64 // of the growth in that half
		unit  int64
	}{
		{"MiB of memory", func(s Sample) int64 { return s.Resident }, 12 << 20, 1 << 20},
		{"KiB of Go's heap", func(s Sample) int64 { return s.Heap }, 256 << 10, 1 << 10},
		{"goroutines", func(s Sample) int64 { return s.Goroutines }, 2, 1},
		{"threads", func(s Sample) int64 { return s.Threads }, 2, 1},
		{"descriptors", func(s Sample) int64 { return s.Descriptors }, 2, 1},
	} {
		if grown := growth(half, one.of); grown > float64(one.bound) {
			errs = append(errs, fmt.Errorf("the process grew by %.1f %s in the second half, at most %d are allowed",
				grown/float64(one.unit), one.what, one.bound/one.unit))
		}
	}
	return errors.Join(errs...)
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
