package front

import (
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Each act ends as it must, on each engine.
func TestRun(t *testing.T) {
	r, err := Run(t.Context(), Options{For: 3 * time.Second, Every: time.Second, Goroutines: 2, Seed: 1})
	check.NoError(t, err)
	done := int64(0)
	for _, n := range r.Counts {
		done += n
	}
	if done == 0 {
		t.Error("nothing was done")
	}
}

func TestCheckFlat(t *testing.T) {
	make := func(of func(i int64) Sample) (list []Sample) {
		for i := range int64(30) {
			s := of(i)
			s.At = time.Duration(i) * time.Minute
			list = append(list, s)
		}
		return list
	}
	for name, test := range map[string]struct {
		at    func(i int64) Sample
		wants []string
	}{
		"flat after a warm-up": {func(i int64) Sample { return Sample{Resident: min(i, 10) << 20, Threads: 9} }, nil},
		"a peak": {
			func(i int64) Sample { return Sample{Resident: i / 29 << 30, Goroutines: i % 7} }, nil,
		},
		"memory": {
			func(i int64) Sample { return Sample{Resident: i << 20} }, []string{"14.0 MiB of memory"},
		},
		"malloc": {
			func(i int64) Sample { return Sample{Allocated: i << 19} }, []string{"7.0 MiB of malloc"},
		},
		"heap": {
			func(i int64) Sample { return Sample{Heap: i << 15} }, []string{"448.0 KiB of Go's heap"},
		},
		"goroutines and descriptors": {
			func(i int64) Sample { return Sample{Goroutines: i, Descriptors: 2 * i} },
			[]string{"14.0 goroutines", "28.0 descriptors"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			samples := make(test.at)
			check.NoError(t, CheckFlat(samples[:fewest-1]))
			if err := CheckFlat(samples); test.wants == nil {
				check.NoError(t, err)
			} else {
				check.Error(t, err, test.wants...)
			}
		})
	}
}
