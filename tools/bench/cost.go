package main

import (
	"fmt"
	"runtime"
	"syscall"
	"time"
)

// cost is the time of a piece of work. It includes the time of all processors besides the
// wall time, so that a thread that spins instead of sleeping is visible.
type cost struct {
	wall, cpu float64 // microseconds
	allocs    float64 // allocations of Go
}

// meter measures f once.
func meter(f func() error) (cost, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	err := f()
	c := cost{wall: micro(time.Since(start)), cpu: micro(cpuTime() - cpu)}
	runtime.ReadMemStats(&after)
	c.allocs = float64(after.Mallocs - before.Mallocs)
	return c, err
}

// cpuTime returns the time that the process has used on all processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(fmt.Sprintf("bench: the times of the process: %v", err)) // it fails only for an unknown who
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func micro(d time.Duration) float64 { return d.Seconds() * 1e6 }

// least returns the least time of several turns, because other programs only make times
// longer, and the median of the other values.
func least(turns []cost) cost {
	walls, cpus, allocs := make([]float64, len(turns)), make([]float64, len(turns)), make([]float64, len(turns))
	for i, c := range turns {
		walls[i], cpus[i], allocs[i] = c.wall, c.cpu, c.allocs
	}
	return cost{wall: minimum(walls), cpu: median(cpus), allocs: median(allocs)}
}

// each returns the cost of one of n; the wall time is that of one of wallN.
func (c cost) each(wallN, n int) cost {
	return cost{wall: c.wall / float64(wallN), cpu: c.cpu / float64(n), allocs: c.allocs / float64(n)}
}

// minus returns the difference of c and o, which is at least zero.
func (c cost) minus(o cost) cost {
	return cost{wall: max(c.wall-o.wall, 1e-3), cpu: max(c.cpu-o.cpu, 0), allocs: max(c.allocs-o.allocs, 0)}
}

func minimum(values []float64) float64 {
	m := values[0]
	for _, v := range values {
		m = min(m, v)
	}
	return m
}
