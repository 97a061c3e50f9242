package front

import (
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/check"
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
		samples []Sample
		want    string
	}{
		"flat after a warm-up": {make(func(i int64) Sample { return Sample{Resident: min(i, 10) << 20, Threads: 9} }), ""},
		"a peak":               {make(func(i int64) Sample { return Sample{Resident: 1 << 30 * (i / 29), Goroutines: i % 7} }), ""},
		"memory":               {make(func(i int64) Sample { return Sample{Resident: i << 20} }), "the process grew by 14.0 MiB"},
		"heap":                 {make(func(i int64) Sample { return Sample{Heap: i << 15} }), "the process grew by 448.0 KiB of Go's heap"},
		"goroutines and descriptors": {make(func(i int64) Sample { return Sample{Goroutines: i, Descriptors: i} }),
			"the process grew by 14.0 goroutines in the second half, at most 2 are allowed\nthe process grew by 14.0 desc"},
		"too few samples": {make(func(i int64) Sample { return Sample{Resident: i << 30} })[:fewest-1], ""},
	} {
		t.Run(name, func(t *testing.T) {
			if err := CheckFlat(test.samples); test.want == "" {
				check.NoError(t, err)
			} else {
				check.Error(t, err, test.want)
			}
		})
	}
}
