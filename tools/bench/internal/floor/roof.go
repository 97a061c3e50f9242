package floor

// #include <string.h>
// #include "roof.h"
import "C"

import (
	"runtime"
	"sync"
	"time"
	"unsafe"
)

// A Roof is what the machine can do at most.
type Roof struct {
	Flops     float64 // multiplications and additions of floats in a second, in registers
	Bandwidth float64 // bytes in a second that a copy reads and writes, outside the caches
}

// roofTime is about the time of one measurement.
const roofTime = 50 * time.Millisecond

// MeasureRoof measures the roof of some threads. It takes the best of several tries.
func MeasureRoof(threads, tries int) (r Roof) {
	const length = 64 << 20 // more than the caches that a thread has for itself
	memory := make([][]byte, threads)
	for i := range memory {
		memory[i] = make([]byte, 2*length)
		for j := 0; j < len(memory[i]); j += 4096 {
			memory[i][j] = 1 // so that the system provides it
		}
	}
	for range tries {
		r.Flops = max(r.Flops, together(threads, func(int) float64 {
			return float64(C.calliope_bench_multiply(1 << 18))
		}))
		r.Bandwidth = max(r.Bandwidth, together(threads, func(thread int) float64 {
			from := unsafe.Pointer(unsafe.SliceData(memory[thread]))
			C.memcpy(unsafe.Add(from, length), from, length)
			return 2 * length
		}))
	}
	return r
}

// together does a piece of work on several threads again and again, and returns how much of it they do in a second.
func together(threads int, work func(thread int) float64) float64 {
	var all sync.WaitGroup
	done := make([]float64, threads)
	start := time.Now()
	for i := range threads {
		all.Go(func() {
			runtime.LockOSThread()
			for time.Since(start) < roofTime {
				done[i] += work(i)
			}
		})
	}
	all.Wait()
	took, sum := time.Since(start).Seconds(), 0.0
	for _, d := range done {
		sum += d
	}
	return sum / took
}
